import { ok } from '../../shared/contract/endpoint.ts';
import { updatePolicy } from '../../shared/contract/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as policies from '../../shared/domain/policies/policies.ts';

export const handler = serve(updatePolicy, async ({ params, body, doubts, caller }) =>
  ok({ policy: await policies.updatePolicy(ledgerOf(caller), params.policyId, body, doubts) }),
);
