import { ok } from '../../shared/contract/endpoint.ts';
import { getMemberScheduleEndpoint } from '../../shared/contract/member-schedule.ts';
import { getSchedule } from '../../shared/domain/calendar/member-schedule.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getMemberScheduleEndpoint, async ({ params, principal }) =>
  ok({ schedule: await getSchedule(ledgerOf(principal), params.memberId) }),
);
