import { ok } from '../../shared/contract/endpoint.ts';
import { updateMemberEndpoint } from '../../shared/contract/members.ts';
import { updateMember } from '../../shared/domain/tokens/change-member.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateMemberEndpoint, async ({ params, body, refuseOutdated, principal }) => {
  const conditions = { refuseOutdated, userId: principal.userId };
  const { member } = await updateMember(ledgerOf(principal), params.memberId, body, conditions);
  return ok({ member });
});
