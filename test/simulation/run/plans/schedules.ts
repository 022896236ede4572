import type { Draw } from '../draw.ts';
import { notFound, noSuch, Refused } from '../model/refusal.ts';
import { changing, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someIfNoneMatch, someNumber, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { allDays } from './organization.ts';

/** The schedule of a member as the API shows it. */
const shownSchedule = ({ id, schedule }: Fields): Fields => ({ id, ...(schedule as Fields) });

export function getMemberSchedule(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'MEMBER');
  const { headers, tags } = someIfNoneMatch(planner, 'schedule', number);
  return {
    operation: 'getMemberSchedule',
    organization,
    call: { endpoint: 'getMemberSchedule', params: { memberId: String(number) }, headers },
    ifNoneMatch: tags,
    unchanged: (window) =>
      window.present('MEMBER', number).map((member) => ({ schedule: shownSchedule(member) })),
    refusals: (window) => (window.canMiss('MEMBER', number) ? [notFound('member')] : []),
  };
}

const someHours = (draw: Draw) => [
  { from: draw.pick(['07:00', '09:00']), to: draw.pick(['12:00', '15:30']) },
];

export function updateMemberSchedule(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'MEMBER');
  const { headers, tags } = someIfMatch(planner, 'schedule', number);
  const serviceIds = draw.happens(0.3) ? [] : [someNumber(planner, 'SERVICE')];
  const from = `2026-01-0${draw.whole(6, 9)}`;
  const given: Fields = {
    ...(draw.happens(0.5) && {
      workingHours: draw.pick([{}, { wednesday: someHours(draw), thursday: someHours(draw) }]),
    }),
    ...(draw.happens(0.3) && {
      daysOff: draw.pick([[], [{ from }], [{ from, to: '2026-01-09', reason: 'Away' }]]),
    }),
    ...(draw.happens(0.5) && { serviceIds }),
    ...(draw.happens(0.3) && { priority: draw.whole(0, 3) }),
  };
  return {
    operation: 'updateMemberSchedule',
    organization,
    call: {
      endpoint: 'updateMemberSchedule',
      params: { memberId: String(number) },
      body: JSON.stringify(given),
      headers,
    },
    ...changing({
      ...{ collection: 'MEMBER', number, label: 'member', field: 'schedule', tags, shown: shownSchedule },
      changed: (before, has) => {
        const schedule = before['schedule'] as Fields;
        const { workingHours, daysOff, ...others } = given;
        const known = schedule['serviceIds'] as number[];
        if (others['serviceIds'] && !serviceIds.every((id) => known.includes(id) || has('SERVICE', id)))
          throw new Refused(noSuch('service', 'serviceIds'));
        return {
          ...before,
          schedule: {
            ...schedule,
            ...others,
            ...(workingHours !== undefined && { workingHours: allDays(workingHours as Fields) }),
            ...(daysOff !== undefined && {
              daysOff: (daysOff as Fields[]).map((one) => ({ to: one['from'], reason: '', ...one })),
            }),
          },
        };
      },
      store: (change, before, after) => {
        change.event('SCHEDULE_UPDATED', 'The schedule of a member was changed', String(before['userId']));
        return change.replace('MEMBER', number, after);
      },
    }),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getMemberSchedule, 1],
  [updateMemberSchedule, 2],
];
