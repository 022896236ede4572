import { ok } from '../../shared/contract/endpoint.ts';
import { listInvitationsEndpoint } from '../../shared/contract/invitations.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listInvitations } from '../../shared/domain/tokens/invitations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listInvitationsEndpoint, async ({ query, principal }) =>
  ok(pageOf('invitations', await listInvitations(ledgerOf(principal), query), query)),
);
