import { ok } from '../../shared/contract/endpoint.ts';
import { deletePolicyEndpoint } from '../../shared/contract/policies.ts';
import { deletePolicy } from '../../shared/domain/policies/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deletePolicyEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deletePolicy(ledgerOf(principal), params.policyId, { refuseOutdated });
  return ok({ message: 'Policy deleted successfully' });
});
