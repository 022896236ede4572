import { ok } from '../../shared/endpoints/endpoint.ts';
import { listMembers } from '../../shared/endpoints/organization.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as members from '../../shared/organizations/members.ts';

export const handler = serve(listMembers, async ({ query, caller }) =>
  ok(pageOf('members', await members.listMembers(ledgerOf(caller), query), query)),
);
