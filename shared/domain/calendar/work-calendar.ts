import type { Schedule } from '../../contract/member-schedule.ts';
import { localTimeIn } from '../../core/local-time.ts';
import { day, dayOf, hasHours, localTimeReader, opensOn, rangesOf, spansOf, type Hours } from './hours.ts';
import { common, type Span } from './spans.ts';

/** Member who may do a job. */
export interface Staff {
  number: number;
  userId: string;
  schedule: Pick<Schedule, 'workingHours' | 'daysOff'>;
}

/** Time of a member's days off. `timeAt` is a `localTimeReader`. */
export const daysOffOf = (
  { daysOff }: Pick<Schedule, 'daysOff'>,
  timeAt: (local: number) => number,
): Span[] => daysOff.map(({ from, to }) => [timeAt(Date.parse(from)), timeAt(Date.parse(to) + day)]);

/** Hours of an organization and of its members on the local days of a span of time. */
export class WorkCalendar {
  /** `timeOfLocal` in the organization's time zone. */
  readonly timeAt: (local: number) => number;
  readonly #first: number;
  readonly #last: number;
  readonly #open: readonly Span[];

  constructor(hours: Hours, [from, to]: Span) {
    this.timeAt = localTimeReader(hours.timeZone);
    // Begins a day earlier, because the hours of that day may go on after midnight.
    this.#first = dayOf(localTimeIn(hours.timeZone, from)) - 1;
    this.#last = dayOf(localTimeIn(hours.timeZone, to));
    this.#open = spansOf(this.timeAt, opensOn(hours), this.#first, this.#last);
  }

  /** Opening hours when all staff work. */
  hoursOf(staff: readonly Staff[]): readonly Span[] {
    return staff
      .filter(({ schedule }) => hasHours(schedule.workingHours))
      .map(({ schedule }) => spansOf(this.timeAt, rangesOf(schedule.workingHours), this.#first, this.#last))
      .reduce(common, this.#open);
  }

  /** First begin and last end of the hours of each local day. Days without hours are left out. */
  workingDays(hours: readonly Span[]): Span[] {
    const days = Array.from({ length: this.#last - this.#first + 1 }, (_, each) => this.#first + each);
    return days.flatMap((each): Span[] => {
      const ofDay = common(hours, [[this.timeAt(each * day), this.timeAt((each + 1) * day)]]);
      const [first, last] = [ofDay[0], ofDay.at(-1)];
      return first && last ? [[first[0], last[1]]] : [];
    });
  }
}
