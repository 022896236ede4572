import { ok } from '../../shared/contract/endpoint.ts';
import { resendInvitationEndpoint } from '../../shared/contract/invitations.ts';
import { invitations, readSent, resendInvitation } from '../../shared/domain/tokens/invitations.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { secretBox } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  resendInvitationEndpoint,
  async ({ params, principal, scopes }) => {
    const by = makerFor(principal, scopes);
    return ok({ invitation: await resendInvitation(ledgerOf(principal), params.invitationId, by) });
  },
  onceStored(invitations, 'invitation', async (ledger, id) =>
    ok({ invitation: await readSent(ledger, id, secretBox) }),
  ),
);
