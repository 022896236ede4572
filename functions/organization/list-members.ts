import { ok } from '../../shared/contract/endpoint.ts';
import { listMembersEndpoint } from '../../shared/contract/organization.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { listMembers } from '../../shared/domain/members/members.ts';

export const handler = serve(listMembersEndpoint, async ({ query, principal }) =>
  ok(pageOf('members', await listMembers(ledgerOf(principal), query), query)),
);
