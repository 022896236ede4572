import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listPoliciesEndpoint } from '../../shared/contract/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { listPolicies } from '../../shared/domain/policies/policies.ts';

export const handler = serve(listPoliciesEndpoint, async ({ query, principal }) =>
  ok(pageOf('policies', await listPolicies(ledgerOf(principal), query), query)),
);
