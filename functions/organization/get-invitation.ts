import { ok } from '../../shared/contract/endpoint.ts';
import { getInvitationEndpoint } from '../../shared/contract/invitations.ts';
import { getInvitation } from '../../shared/domain/tokens/invitations.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getInvitationEndpoint, async ({ params, principal }) =>
  ok({ invitation: await getInvitation(ledgerOf(principal), params.invitationId) }),
);
