import { ok } from '../../shared/contract/endpoint.ts';
import { getPolicyEndpoint } from '../../shared/contract/policies.ts';
import { getPolicy } from '../../shared/domain/policies/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getPolicyEndpoint, async ({ params, principal }) =>
  ok({ policy: await getPolicy(ledgerOf(principal), params.policyId) }),
);
