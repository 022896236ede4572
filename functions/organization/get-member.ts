import { ok } from '../../shared/contract/endpoint.ts';
import { getMemberEndpoint } from '../../shared/contract/members.ts';
import { getMember } from '../../shared/domain/members/members.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getMemberEndpoint, async ({ params, principal }) =>
  ok({ member: await getMember(ledgerOf(principal), params.memberId) }),
);
