import { ok } from '../../shared/contract/endpoint.ts';
import { updatePolicyEndpoint } from '../../shared/contract/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { updatePolicy } from '../../shared/domain/policies/policies.ts';

export const handler = serve(updatePolicyEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ policy: await updatePolicy(ledgerOf(principal), params.policyId, body, { refuseOutdated }) }),
);
