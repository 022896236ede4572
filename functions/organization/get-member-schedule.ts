import { ok } from '../../shared/contract/endpoint.ts';
import { getMemberScheduleEndpoint } from '../../shared/contract/member-schedule.ts';
import { getMemberSchedule } from '../../shared/domain/calendar/member-schedule.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getMemberScheduleEndpoint, async ({ params, principal }) =>
  ok({ schedule: await getMemberSchedule(ledgerOf(principal), params.memberId) }),
);
