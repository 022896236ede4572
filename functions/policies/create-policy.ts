import { created } from '../../shared/contract/endpoint.ts';
import { createPolicyEndpoint } from '../../shared/contract/policies.ts';
import { policies, createPolicy, getPolicy } from '../../shared/domain/policies/policies.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(
  createPolicyEndpoint,
  async ({ body, caller }) => created({ policy: await createPolicy(ledgerOf(caller), body) }),
  once(ledgerOf, async ({ ledger }) => {
    const id = ledger.keptId(policies);
    return unlessChanged(ledger, async () => created({ policy: await getPolicy(ledger, id) }), {
      policy: { id },
    });
  }),
);
