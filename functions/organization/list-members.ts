import { ok } from '../../shared/contract/endpoint.ts';
import { listMembers } from '../../shared/contract/organization.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as members from '../../shared/domain/members/members.ts';

export const handler = serve(listMembers, async ({ query, caller }) =>
  ok(pageOf('members', await members.listMembers(ledgerOf(caller), query), query)),
);
