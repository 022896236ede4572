import { created } from '../../shared/contract/endpoint.ts';
import { createPolicyEndpoint } from '../../shared/contract/policies.ts';
import { policies, createPolicy, getPolicy } from '../../shared/domain/policies/policies.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createPolicyEndpoint,
  async ({ body, principal }) => created({ policy: await createPolicy(ledgerOf(principal), body) }),
  onceStored(policies, 'policy', async (ledger, id) => created({ policy: await getPolicy(ledger, id) })),
);
