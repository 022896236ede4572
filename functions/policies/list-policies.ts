import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listPolicies } from '../../shared/contract/policies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as policies from '../../shared/domain/policies/policies.ts';

export const handler = serve(listPolicies, async ({ query, caller }) =>
  ok(pageOf('policies', await policies.listPolicies(ledgerOf(caller), query), query)),
);
