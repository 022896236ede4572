import { updateOrganization } from '../../../../shared/domain/organizations/organizations.ts';
import type { Change } from '../model/change.ts';
import { dateIn, daysIn, leadStatuses, movedTo } from '../model/pipeline.ts';
import { notFound, Refused } from '../model/refusal.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';

/** Maximum clock error in milliseconds. Clocks may disagree on the date. */
const clockSkew = 5000;

/** Number of leads in each status, from the stored states of the pipeline's lists. */
function countsIn(lists: Fields = {}): Record<string, number> {
  const counts = leadStatuses.map((status) => {
    const [, last = '0', left = '0'] =
      /^(\w+)(?:-(\w+))?/.exec((lists[`LEAD#1#${status}`] ?? '0') as string) ?? [];
    return [status, parseInt(last, 36) - parseInt(left, 36)] as const;
  });
  return Object.fromEntries(counts);
}

export function getPipeline({ organization }: Planner): Plan {
  return {
    operation: 'getPipeline',
    organization,
    call: { endpoint: 'getPipeline' },
    check: (body, window) => {
      const expected = window.values(organization.nameOf('PIPELINE', 1)).flatMap((stored) => {
        if (!stored) return [];
        const zone = String(stored.fields['timeZone']);
        const times = [window.since - clockSkew, Date.now() + clockSkew];
        const statuses = countsIn(stored.lists);
        const total = Object.values(statuses).reduce((sum, count) => sum + count);
        return [...new Set(times.map((time) => dateIn(zone, time)))].map((today) => ({
          statuses,
          total,
          days: daysIn(stored.fields, today).map(({ date, created = 0, ...moved }) => ({
            date,
            created,
            moved: movedTo(moved),
          })),
        }));
      });
      checkOneOf('The pipeline must have a value of the window', expected, body);
    },
  };
}

export const zones = [
  ...['Australia/Sydney', 'Pacific/Auckland', 'Pacific/Honolulu', 'Pacific/Kiritimati', 'Europe/London'],
];

/** Moves the organization to another time zone, where the date may differ, and records it. */
export function moveToTimeZone(change: Change, timeZone: string): void {
  const before = change.get('PIPELINE', 1)!;
  const { timeZone: from } = before;
  change.replace('PIPELINE', 1, { ...before, timeZone });
  const data = `The time zone changed from ${String(from)} to ${timeZone}`;
  const said = { data, values: { from, to: timeZone } };
  change.event('TIME_ZONE_CHANGED', said, `org_${change.organization.code}`);
}

/** An operator moves the organization to another time zone. */
export function setTimeZone({ draw, organization }: Planner): Plan {
  const timeZone = draw.pick(zones);
  return {
    operation: 'setTimeZone',
    organization,
    call: { verb: (ledger) => updateOrganization(ledger, { timeZone }).then(() => ({})) },
    stages: once((change) => {
      const before = change.get('PIPELINE', 1);
      if (!before) throw new Refused(notFound('organization'));
      if (before['timeZone'] === timeZone) throw new Refused(nothingChanges);
      change.replace('ORGANIZATION', 1, change.get('ORGANIZATION', 1)!);
      moveToTimeZone(change, timeZone);
      return {};
    }),
    unchanged: (window) =>
      window
        .present('PIPELINE', 1)
        .filter((pipeline) => pipeline['timeZone'] === timeZone)
        .map(() => ({})),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getPipeline, 4],
  [setTimeZone, 0.5],
];
