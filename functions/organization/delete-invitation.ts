import { ok } from '../../shared/contract/endpoint.ts';
import { deleteInvitationEndpoint } from '../../shared/contract/invitations.ts';
import { deleteInvitation } from '../../shared/domain/tokens/invitations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteInvitationEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteInvitation(ledgerOf(principal), params.invitationId, { refuseOutdated, by: principal });
  return ok({ message: 'Invitation deleted successfully' });
});
