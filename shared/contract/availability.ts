import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { numberInPath, text, wholeNumber } from './fields.ts';
import { momentInQuery } from './moment.ts';
import { SaidQuery } from './said.ts';
import { Slot } from './slot.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'appointments';

/** Maximum number of days of a search for free times. */
export const maxDays = 31;

export const AvailabilityQuery = v.object({
  serviceId: numberInPath,
  from: v.optional(momentInQuery),
  to: v.optional(momentInQuery),
  userId: v.optional(v.pipe(text(100), v.minLength(1, 'must not be empty'))),
  limit: wholeNumber({ min: 1, max: 1000, preset: 100 }),
  suburb: v.optional(text(100)),
  postcode: v.optional(text(20)),
  ...SaidQuery.entries,
});
export type AvailabilityQuery = v.InferOutput<typeof AvailabilityQuery>;

/** Reason why there is no free time in a range. */
export const NoSlotsReason = v.picklist([
  'NOT_OFFERED',
  'OUTSIDE_AREA',
  'NOBODY',
  'PAST',
  'TOO_SOON',
  'TOO_FAR',
  'CLOSED',
  'BOOKED',
]);
export type NoSlotsReason = v.InferOutput<typeof NoSlotsReason>;

/** Free times: docs/reference/appointments.md, Availability. */
export const Availability = v.strictObject({
  slots: v.array(Slot),
  isOutside: v.boolean(),
  reason: v.optional(NoSlotsReason),
  nextOffer: v.optional(Slot),
});
export type Availability = v.InferOutput<typeof Availability>;

/** Maximum number of slots in an answer to be read out. */
export const maxSaidSlots = 3;

export const SaidAvailability = v.strictObject({ say: v.string(), slots: v.array(Slot) });
export type SaidAvailability = v.InferOutput<typeof SaidAvailability>;

export const descriptions = {
  AvailabilityQuery: {
    is: 'Which times to look for',
    like: 'SaidQuery',
    fields: {
      serviceId: 'The service that is to be done',
      from: 'The beginning of the range: a time, or a local date; now when not given',
      to:
        'The end of the range: a time, or a local date with its whole day; when not given, seven days after `from`, and ' +
        'for a service in days 21',
      userId: 'Only times of this user; of an unknown one there are none',
      limit: 'The maximum number of slots',
      suburb: 'The suburb where it is to be done. Outside the areas served, nothing is offered',
      postcode: 'The postcode where it is to be done, as `suburb`',
    },
  },
  NoSlotsReason: {
    is:
      'Why there is no slot. NOT_OFFERED: the service is not in use. OUTSIDE_AREA: the place is outside the areas served. ' +
      'NOBODY: no member, or not this user, does the service. PAST: the range has passed. TOO_SOON: the range ends within ' +
      'the notice of the service. TOO_FAR: the range begins after its furthest day. CLOSED: nobody works then, for as long as ' +
      'the service takes. BOOKED: everybody is booked',
  },
  Availability: {
    is: 'The times at which a service can be booked',
    fields: {
      slots: 'The slots, the earliest first',
      isOutside:
        'Whether the organization serves certain areas, and neither the suburb nor the postcode is one of them',
      reason: 'Why there is no slot; only then',
      nextOffer: 'If there is no slot: the first slot within 31 days after the range, if there is one',
    },
  },
  SaidAvailability: {
    is: 'The times at which a service can be booked, to be read out',
    fields: {
      say: 'A sentence for the caller: the times, or why there is none, and the next time after the range',
      slots: 'The slots that the sentence names, three at most',
    },
  },
} satisfies Descriptions;

const slot = {
  start: '2026-12-07T22:00:00.000Z',
  end: '2026-12-07T23:00:00.000Z',
  userIds: ['user_6H8EV88000000001'],
  say: 'Tuesday the 8th of December at 9 in the morning',
};

export const getAvailabilityEndpoint = endpoint({
  method: 'GET',
  path: '/v1/availability',
  scope: 'appointments:read',
  access: 'readPage',
  summary: 'Find free times to book a service',
  description:
    'A slot lies within the range, and within the opening hours, holidays included. It lies within the working hours of a ' +
    "member who does the service, and on none of the member's days off. A slot keeps the buffers and the notice of the " +
    'service, and overlaps no booking with its buffers. The range has 31 days at most. `userIds` has all users who are free ' +
    'then. The first is proposed by the `teamAssignmentMethod` of the service: the user with the lowest `priority`, or ' +
    'the user who got an appointment longest ago. An empty answer says why, and when the next time is.',
  tellsTimeZone: true,
  params: {},
  query: AvailabilityQuery,
  responses: { 200: Availability },
  said: {
    schema: SaidAvailability,
    example: {
      say: 'I can offer Tuesday the 8th of December at 9 in the morning.',
      slots: [slot],
    },
  },
  errors: [],
  extension: true,
  example: {
    query: {
      serviceId: '1',
      from: '2026-12-08',
      to: '2026-12-11',
      limit: '1',
      userId: 'user_6H8EV88000000001',
      suburb: 'Leichhardt',
      postcode: '2040',
    },
    response: {
      slots: [slot],
      isOutside: false,
    },
  },
});
