import { ok } from '../../shared/contract/endpoint.ts';
import { deleteMemberEndpoint } from '../../shared/contract/members.ts';
import { deleteMember } from '../../shared/domain/tokens/change-member.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteMemberEndpoint, async ({ params, refuseOutdated, principal }) => {
  const conditions = { refuseOutdated, userId: principal.userId };
  await deleteMember(ledgerOf(principal), params.memberId, conditions);
  return ok({ message: 'Member deleted successfully' });
});
