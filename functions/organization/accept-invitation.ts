import { ok } from '../../shared/contract/endpoint.ts';
import { acceptInvitationEndpoint } from '../../shared/contract/invitations.ts';
import { members } from '../../shared/domain/members/members.ts';
import { acceptInvitation, readJoined } from '../../shared/domain/tokens/invitations.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { secretBox } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  acceptInvitationEndpoint,
  async ({ params, principal, scopes }) =>
    ok(await acceptInvitation(ledgerOf(principal), params.invitationId, makerFor(principal, scopes))),
  onceStored(members, 'member', async (ledger, id) => ok(await readJoined(ledger, id, secretBox))),
);
