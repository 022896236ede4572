import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { dateInput, filledLine, stringSuchAs, timestamp, timestampInput } from './fields.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'organization';

/** Days of the week, in JavaScript's order. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export const Weekday = v.picklist(weekdays);
export type Weekday = v.InferOutput<typeof Weekday>;

/** Time of a day: 24 hours, local. */
const timeOfDay = v.pipe(
  stringSuchAs('08:00'),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a local time such as 08:00'),
);
const endOfRange = v.pipe(
  stringSuchAs('17:00'),
  v.regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a local time such as 17:00, or 24:00'),
);

/** Part of a day, or of a night: docs/reference/organization.md, Opening hours. */
export const NewTimeRange = v.pipe(
  v.strictObject({ from: timeOfDay, to: endOfRange }),
  v.forward(
    v.partialCheck(
      [['from'], ['to']],
      ({ from, to }) => from !== to,
      'must differ from `from`: a whole day is from 00:00 to 24:00',
    ),
    ['to'],
  ),
);

export const TimeRange = v.strictObject({ from: v.string(), to: v.string() });
export type TimeRange = v.InferOutput<typeof TimeRange>;

const hoursOfDay = v.pipe(v.array(NewTimeRange), v.maxLength(6));
const shownDay = v.array(TimeRange);
const optionalDay = v.optional(hoursOfDay, []);

/**
 * Hours of a week: docs/reference/organization.md, Opening hours. Every day is present. Clients in some languages read a missing day
 * as an empty day, and would send back the empty day.
 */
export const WeekHours = v.strictObject({
  monday: shownDay,
  tuesday: shownDay,
  wednesday: shownDay,
  thursday: shownDay,
  friday: shownDay,
  saturday: shownDay,
  sunday: shownDay,
} satisfies Record<Weekday, unknown>);
export type WeekHours = v.InferOutput<typeof WeekHours>;

/** Hours of a week in a body. */
export const NewWeekHours = v.strictObject({
  monday: optionalDay,
  tuesday: optionalDay,
  wednesday: optionalDay,
  thursday: optionalDay,
  friday: optionalDay,
  saturday: optionalDay,
  sunday: optionalDay,
} satisfies Record<Weekday, unknown>);

/** A week without hours. */
export const noHours: WeekHours = {
  monday: [],
  tuesday: [],
  wednesday: [],
  thursday: [],
  friday: [],
  saturday: [],
  sunday: [],
};

/** Date with special hours. */
export const Holiday = v.strictObject({ date: v.string(), name: v.string(), hours: shownDay });
export type Holiday = v.InferOutput<typeof Holiday>;

/** Holiday in a body. */
export const NewHoliday = v.strictObject({
  date: dateInput,
  name: filledLine(100),
  hours: hoursOfDay,
});

/** Holidays of an organization: at most one on each date. */
export const holidayList = v.pipe(
  v.array(NewHoliday),
  v.maxLength(100),
  v.check(
    (holidays) => new Set(holidays.map(({ date }) => date)).size === holidays.length,
    'must have each date at most once',
  ),
);

export const timeFormats = ['12h', '24h'] as const;
export const TimeFormat = v.picklist(timeFormats);
export type TimeFormat = v.InferOutput<typeof TimeFormat>;

export const HoursQuery = v.object({
  at: v.optional(
    v.pipe(
      v.string(),
      // Clients often do not encode the plus of an offset, and a query reads a plus as a space.
      v.transform((value) => value.replace(' ', '+')),
      timestampInput,
      v.string(),
      v.check((value) => value.startsWith('2'), 'must be in the years 2000 to 2999'),
      v.metadata({ format: 'date-time' }),
    ),
  ),
});
export type HoursQuery = v.InferOutput<typeof HoursQuery>;

/** Answer to whether an organization is open: docs/reference/organization.md, Opening hours. */
export const OpenState = v.strictObject({
  at: timestamp,
  timeZone: v.string(),
  isOpen: v.boolean(),
  isOnCall: v.boolean(),
  until: v.nullable(timestamp),
  holiday: v.nullable(v.string()),
  say: v.string(),
});
export type OpenState = v.InferOutput<typeof OpenState>;

export const descriptions = {
  Weekday: { is: 'A day of the week' },
  TimeFormat: { is: 'How times of the day are said: `5 pm` or `17:00`' },
  TimeRange: {
    is: 'A part of a day, in local time. With a `to` that is before `from` it ends on the next day',
    fields: {
      from: 'When it begins, such as `08:00`',
      to: 'When it ends, such as `17:00`; `24:00` is the end of the day',
    },
  },
  WeekHours: {
    is: 'The hours of a week',
    fields: {
      monday: 'The hours that begin on a Monday',
      tuesday: 'The hours that begin on a Tuesday',
      wednesday: 'The hours that begin on a Wednesday',
      thursday: 'The hours that begin on a Thursday',
      friday: 'The hours that begin on a Friday',
      saturday: 'The hours that begin on a Saturday',
      sunday: 'The hours that begin on a Sunday',
    },
  },
  NewTimeRange: { is: 'A part of a day, as a body has it', like: 'TimeRange' },
  NewWeekHours: {
    is: 'The hours of a week, as a body has them. A day that is left out has none',
    like: 'WeekHours',
  },
  NewHoliday: { is: 'A date with special hours, in a body', like: 'Holiday' },
  Holiday: {
    is: 'A date with special hours',
    fields: {
      date: 'The local date',
      name: 'The name of the holiday',
      hours:
        'The opening hours that begin on this date, in place of those of its weekday; none when it is closed',
    },
  },
  HoursQuery: {
    is: 'Which moment to ask about',
    fields: { at: 'The time to ask about, with its offset; now when not given' },
  },
  OpenState: {
    is: 'Whether the organization is open',
    fields: {
      at: 'The time that was asked about',
      timeZone: 'The time zone of the hours',
      isOpen: 'Whether the organization is open then, by its opening hours and holidays',
      isOnCall: 'Whether it is on call then, by its on-call hours',
      until: 'When `isOpen` changes; null when it does not within a year',
      holiday: 'The name of the holiday on the local date, or null',
      say: 'The same as an English sentence that can be read out',
    },
  },
} satisfies Descriptions;

export const getOrganizationHoursEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/hours',
  scope: 'organization:read',
  access: 'get',
  summary: 'Check whether the organization is open',
  description:
    'Now, or at another time. An organization that never gave opening hours is open at all times, but for its holidays.',
  params: {},
  query: HoursQuery,
  responses: { 200: OpenState },
  errors: [],
  extension: true,
  example: {
    query: { at: '2026-11-27T22:30:00+11:00' },
    response: {
      at: '2026-11-27T11:30:00.000Z',
      timeZone: 'Australia/Sydney',
      isOpen: false,
      isOnCall: true,
      until: '2026-11-29T21:00:00.000Z',
      holiday: null,
      say: 'Closed until 8 am on Monday, 30 November',
    },
  },
});
