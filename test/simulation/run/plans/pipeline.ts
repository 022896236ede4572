import { stateNameOf } from '../model/lists.ts';
import { dateIn, daysIn, leadStatuses, movedTo } from '../model/pipeline.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';

/** Maximum clock error in milliseconds. Clocks may disagree on the date. */
const clockSkew = 5000;

/** Number of leads in each status, from the stored states of the pipeline's lists. */
function countsIn(lists: Fields = {}): Record<string, number> {
  const counts = leadStatuses.map((status) => {
    const [, last = '0', left = '0'] =
      /^(\w+)(?:-(\w+))?/.exec((lists[stateNameOf(`LEAD#1#${status}`)] ?? '0') as string) ?? [];
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

export const plans: readonly WeightedPlan[] = [[getPipeline, 4]];
