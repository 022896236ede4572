import { ok } from '../../shared/endpoints/endpoint.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { listPolicies } from '../../shared/endpoints/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as policies from '../../shared/policies/policies.ts';

export const handler = serve(listPolicies, async ({ query, caller }) =>
  ok(pageOf('policies', await policies.listPolicies(ledgerOf(caller), query), query)),
);
