import * as v from 'valibot';
import { dateInput, notTimestamp, timestampInput } from './fields.ts';

/**
 * Point in time in a query: a time with an offset, or a local date. A date stands for the beginning of the day, or for
 * its end if the date ends a range. `timeOfMoment` in shared/domain/calendar/moment.ts reads the text.
 */
export const momentInQuery = v.pipe(
  v.string(),
  // Clients often do not encode the plus of an offset, and a query reads a plus as a space.
  v.transform((value) => value.replace(' ', '+')),
  v.string(),
  v.check(
    (value) => value.startsWith('2') && (v.is(dateInput, value) || v.is(timestampInput, value)),
    ({ input }) =>
      notTimestamp(
        input,
        'must be a date such as 2026-12-08, or a time with its zone such as 2026-12-08T09:00:00+10:30, from the year 2000 on',
      ),
  ),
);
