import { created } from '../../shared/contract/endpoint.ts';
import { inviteMemberEndpoint } from '../../shared/contract/invitations.ts';
import { invitations, inviteMember, readSent } from '../../shared/domain/tokens/invitations.ts';
import { onceStored } from '../../shared/http/once.ts';
import { makerFor } from '../../shared/http/maker.ts';
import { secretBox } from '../../shared/http/outside/secrets.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  inviteMemberEndpoint,
  async ({ body, principal, scopes }) =>
    created({ invitation: await inviteMember(ledgerOf(principal), body, makerFor(principal, scopes)) }),
  onceStored(invitations, 'invitation', async (ledger, id) =>
    created({ invitation: await readSent(ledger, id, secretBox) }),
  ),
);
