import { ok } from '../../shared/endpoints/endpoint.ts';
import { updatePolicy } from '../../shared/endpoints/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as policies from '../../shared/policies/policies.ts';

export const handler = serve(updatePolicy, async ({ params, body, doubts, caller }) =>
  ok({ policy: await policies.updatePolicy(ledgerOf(caller), params.policyId, body, doubts) }),
);
