import { ok } from '../../shared/contract/endpoint.ts';
import { updateMemberScheduleEndpoint } from '../../shared/contract/member-schedule.ts';
import { updateMemberSchedule } from '../../shared/domain/calendar/member-schedule.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  updateMemberScheduleEndpoint,
  async ({ params, body, refuseOutdated, principal }) =>
    ok({
      schedule: await updateMemberSchedule(ledgerOf(principal), params.memberId, body, { refuseOutdated }),
    }),
);
