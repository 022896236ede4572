import * as v from 'valibot';
import { Address, NewAddress } from './address.ts';
import { endpoint } from './endpoint.ts';
import { exclusive } from './exclusive.ts';
import {
  filledLine,
  pathId,
  readOnlyFields,
  recordId,
  recordNumber,
  text,
  timestamp,
  timestampInput,
} from './fields.ts';
import { momentInQuery } from './moment.ts';
import { InquirySender } from './new-inquiry.ts';
import { SaidQuery } from './said.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription =
  'Appointments: who is booked when, where and for whom, and which times are free';

export const appointmentLabel = 'appointment';

export const appointmentStatuses = ['PENDING', 'CONFIRMED', 'COMPLETED', 'CANCELLED', 'NO_SHOW'] as const;
export const AppointmentStatus = v.picklist(appointmentStatuses);
export type AppointmentStatus = v.InferOutput<typeof AppointmentStatus>;

/** Statuses of appointments that take the time of their attendees. All others are final. */
export const openStatuses = ['PENDING', 'CONFIRMED'] as const satisfies readonly AppointmentStatus[];

export const OpenStatus = v.picklist(openStatuses);

/** Maximum number of attendees of an appointment, so that a change of an appointment fits into a transaction. */
export const maxAttendees = 10;

/** An appointment: docs/reference/appointments.md, Appointment. */
export const Appointment = v.strictObject({
  id: recordId('appointment'),
  leadId: v.nullable(recordId('lead')),
  givenName: v.string(),
  givenPhone: v.string(),
  givenEmail: v.string(),
  title: v.string(),
  description: v.string(),
  start: timestamp,
  end: timestamp,
  status: AppointmentStatus,
  attendees: v.array(recordId('user')),
  tradeServiceId: v.nullable(recordNumber),
  address: Address,
  notes: v.string(),
  customerNotes: v.string(),
  isRescheduled: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Appointment = v.InferOutput<typeof Appointment>;

/** Beginning or end of an appointment: a whole minute, because bookings are counted in minutes. */
const minuteInput = v.pipe(
  timestampInput,
  v.check((value) => value.endsWith(':00.000Z'), 'must be a whole minute'),
  v.check((value) => value.startsWith('2'), 'must be in the years 2000 to 2999'),
);

const fields = {
  title: filledLine(200),
  description: v.optional(text(2000)),
  start: minuteInput,
  end: v.optional(minuteInput),
  attendees: v.optional(
    v.pipe(
      v.array(recordId('user')),
      v.maxLength(maxAttendees),
      v.check((users) => new Set(users).size === users.length, 'must have each user once'),
      v.metadata({ uniqueItems: true }),
    ),
  ),
  tradeServiceId: v.optional(v.nullable(recordNumber)),
  address: v.optional(NewAddress),
  notes: v.optional(text(4000)),
  customerNotes: v.optional(text(4000)),
  ifFree: v.optional(v.boolean()),
  ifOffered: v.optional(v.boolean()),
};

/** Message for `tradeServiceId`: only times of a service are offered. */
const requiredIfOffered = 'is required with ifOffered: a time is offered for a service';

/** Message for `attendees`: without a service, nobody can be chosen. */
export const requiredIfFree = 'must have who is to be free, where there is no tradeServiceId to choose by';

/** Body of a new appointment. */
export const NewAppointment = v.pipe(
  v.strictObject({
    ...fields,
    status: v.optional(OpenStatus),
    leadId: v.optional(v.nullable(text(100))),
    lead: v.optional(InquirySender),
  }),
  v.forward(
    v.partialCheck(
      [['leadId'], ['lead']],
      ({ leadId, lead }) => lead === undefined || (leadId ?? null) === null,
      'cannot be combined with leadId',
    ),
    ['lead'],
  ),
  v.forward(
    v.partialCheck(
      [['end'], ['tradeServiceId']],
      ({ end, tradeServiceId }) => end !== undefined || (tradeServiceId ?? null) !== null,
      'is required where there is no tradeServiceId',
    ),
    ['end'],
  ),
  v.forward(
    v.partialCheck(
      [['ifOffered'], ['tradeServiceId']],
      ({ ifOffered, tradeServiceId }) => !ifOffered || (tradeServiceId ?? null) !== null,
      requiredIfOffered,
    ),
    ['tradeServiceId'],
  ),
  v.forward(
    v.partialCheck(
      [['ifFree'], ['attendees'], ['tradeServiceId']],
      ({ ifFree, attendees = [], tradeServiceId }) =>
        !ifFree || attendees.length > 0 || (tradeServiceId ?? null) !== null,
      requiredIfFree,
    ),
    ['attendees'],
  ),
);
export type NewAppointment = v.InferOutput<typeof NewAppointment>;

/** Body of a change of an appointment. Fields that are left out stay. */
export const AppointmentChanges = v.strictObject({
  ...fields,
  title: v.optional(fields.title),
  start: v.optional(fields.start),
  status: v.optional(AppointmentStatus),
});
export type AppointmentChanges = v.InferOutput<typeof AppointmentChanges>;

/** An overlap with another appointment of an attendee, or with a day off. */
export const BookingConflict = v.strictObject({
  userId: v.string(),
  appointmentId: v.nullable(v.string()),
});
export type BookingConflict = v.InferOutput<typeof BookingConflict>;

/** Maximum number of conflicts that an answer names. */
export const maxConflicts = 50;

/** Maximum number of appointments in the list of a range of time. */
export const maxInRange = 1000;

const isWhole = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  (from === undefined) === (to === undefined);

/** Addition to each appointment of a list: names of people. */
export const AppointmentExpansion = v.picklist(['names']);

/** Query of the list of appointments. */
export const AppointmentQuery = v.pipe(
  v.object({
    ...PageQuery.entries,
    leadId: v.optional(v.pipe(text(100), v.minLength(1, 'must not be empty'))),
    userId: v.optional(v.pipe(text(100), v.minLength(1, 'must not be empty'))),
    from: v.optional(momentInQuery),
    to: v.optional(momentInQuery),
    expand: v.optional(AppointmentExpansion),
  }),
  exclusive(['leadId', 'userId']),
  exclusive(['from'], ['after', 'order']),
  v.forward(v.partialCheck([['from'], ['to']], isWhole, 'must come with to, and to with from'), ['from']),
);
export type AppointmentQuery = v.InferOutput<typeof AppointmentQuery>;

/** An appointment in a list. */
export const ListedAppointment = v.strictObject({
  ...Appointment.entries,
  leadName: v.optional(v.string()),
  attendeeNames: v.optional(v.array(v.string())),
});
export type ListedAppointment = v.InferOutput<typeof ListedAppointment>;

export const AppointmentPage = pageSchema('appointments', ListedAppointment);
export const AppointmentEnvelope = v.strictObject({ appointment: Appointment });

/** A booked appointment, with warnings for the client. */
export const BookedAppointment = v.strictObject({
  appointment: Appointment,
  conflicts: v.array(BookingConflict),
  isOutside: v.boolean(),
});
export type BookedAppointment = v.InferOutput<typeof BookedAppointment>;

/** A booking to be read out. */
export const SaidBooking = v.strictObject({
  say: v.string(),
  appointmentId: recordId('appointment'),
  start: timestamp,
});
export type SaidBooking = v.InferOutput<typeof SaidBooking>;

export const descriptions = {
  AppointmentStatus: {
    is: 'How far an appointment has come. COMPLETED, CANCELLED and NO_SHOW are final, and take no time any more',
  },
  OpenStatus: { is: 'How far an appointment has come that takes the time of its attendees' },
  Appointment: {
    is: 'An appointment. A text that was never given is empty',
    fields: {
      leadId: 'The lead that it is with, also once that is deleted; null for none',
      givenName: "The name that was given for the booking, where it is not the lead's; else empty",
      givenPhone:
        'The phone number that was given for the booking, as it was given, where the lead does not have it or the text says ' +
        'more than the number; else empty',
      givenEmail: 'The email that was given for the booking, where the lead does not have it; else empty',
      title: 'The appointment in a few words',
      description: 'The work to be done',
      start: 'When it begins',
      end: 'When it ends',
      status: 'How far it has come',
      attendees: 'The users who attend. The appointment takes their time',
      tradeServiceId: 'The service that it is for, also once that is deleted; null for none',
      address: 'Where it is',
      notes: 'Notes for the team',
      customerNotes: 'Notes for the customer',
      isRescheduled: 'Whether its time was changed',
    },
  },
  NewAppointment: {
    is: 'The body to book an appointment',
    like: 'Appointment',
    fields: {
      leadId: 'The lead that it is with, unless `lead` says who that is',
      lead:
        'Who it is with: a lead is found by the email, else by the phone number, else made. A phone that has no number that ' +
        'can be called is refused. What the lead has otherwise, and does not get, stays with the appointment as `givenName`, ' +
        '`givenPhone` and `givenEmail`',
      start: 'When it begins: a whole minute',
      end:
        'When it ends: a whole minute, at most 14 days after `start`. The duration of the service after it when not ' +
        'given; where that is in days, the end of the last of as many working days',
      status: 'PENDING or CONFIRMED; PENDING when not given',
      attendees:
        'The users who attend, by the `user.id` of members, ten at most. Without any, and with a service and `ifFree` or ' +
        '`ifOffered`, the service chooses a member who is free',
      tradeServiceId: 'The service of the appointment. The buffers of the service are kept free, too',
      address: "Where it is; when not given, the address given with `lead`, else the lead's",
      ifFree: 'With true, it is refused if an attendee is booked at that time, or has a day off',
      ifOffered:
        'With true, it is refused unless `GET /v1/availability` offers that time for the service and the place. It implies ' +
        '`ifFree`',
    },
  },
  AppointmentChanges: {
    is: 'The body to change an appointment',
    like: 'NewAppointment',
    fields: {
      end: 'When it ends: a whole minute, at most 14 days after `start`. The end moves with `start` when not given',
      status: 'How far it has come',
      attendees:
        'The users who attend, in place of all who did. If nobody attends then, a member is chosen as for a new appointment',
      address: 'The changed parts of the address',
    },
  },
  BookingConflict: {
    is: "Another use of an attendee's time",
    fields: {
      userId: 'The attendee',
      appointmentId: 'The other appointment; null for a day off',
    },
  },
  AppointmentQuery: {
    is: 'Which appointments to read',
    like: 'PageQuery',
    fields: {
      leadId:
        'Only appointments with this lead, also if the lead is deleted. For an unknown lead the list is empty',
      userId: 'Only appointments that this user attends. For an unknown user the list is empty',
      from: 'Only appointments that begin then or later: a time, or a local date',
      to: 'Only appointments that begin before: a time, or a local date. The day of the date is included',
      expand: 'Adds `leadName` and `attendeeNames` to each appointment',
    },
  },
  AppointmentExpansion: { is: 'What a list of appointments adds to each of them: the names of people' },
  ListedAppointment: {
    is: 'An appointment in a list',
    like: 'Appointment',
    fields: {
      leadName:
        'With `expand`: the name of the lead; empty if there is none, or if the token does not allow `leads:read`',
      attendeeNames:
        'With `expand`: the names of the attendees, in their order; empty ones if the token does not allow `members:read`',
    },
  },
  AppointmentPage: {
    is: 'A page of appointments',
    fields: { appointments: 'The appointments of this page' },
  },
  AppointmentEnvelope: { is: 'An appointment', fields: { appointment: 'The appointment' } },
  BookedAppointment: {
    is: 'An appointment that was booked or changed',
    fields: {
      appointment: 'The appointment',
      conflicts:
        "Other uses of the attendees' time that overlap the appointment with its buffers: the first 50. Empty with `ifFree`",
      isOutside:
        'Whether the organization serves certain areas, and neither the suburb nor the postcode of the address is one of them',
    },
  },
  SaidBooking: {
    is: 'An appointment that was booked, to be read out',
    fields: {
      say:
        'A sentence for the caller: when the appointment begins, whether it is noted under another name than that of the phone ' +
        'number or the email, and whether the place is outside the areas served',
      appointmentId: 'The appointment',
      start: 'When it begins',
    },
  },
} satisfies Descriptions;

const appointmentId = pathId(appointmentLabel, recordId('appointment'));

const example = {
  id: 'appointment_6H8EV88000000001',
  leadId: 'lead_6H8EV88000000005',
  givenName: '',
  givenPhone: '',
  givenEmail: '',
  title: 'Blocked drain',
  description: 'Kitchen sink, slow for a week',
  start: '2026-12-07T22:30:00.000Z',
  end: '2026-12-07T23:30:00.000Z',
  status: 'PENDING',
  attendees: ['user_6H8EV88000000001'],
  tradeServiceId: 1,
  address: {
    line1: '12 Bay Street',
    line2: '',
    suburb: 'Glebe',
    state: 'NSW',
    postcode: '2037',
    country: 'Australia',
    access: 'The gate is on the lane',
  },
  notes: '',
  customerNotes: 'We call half an hour before',
  isRescheduled: false,
  createdAt: '2026-12-02T13:00:00.000Z',
  updatedAt: '2026-12-02T13:00:00.000Z',
};
const params = { appointmentId: example.id };
const booked = { appointment: example, conflicts: [], isOutside: false };

const rulesOfTime =
  '`start` and `end` are times with an offset, to the minute. A `start` more than a day in the past is a 400. With `ifFree`, ' +
  'the answer is a 409 if an attendee is booked, buffers included, or has a day off. Its `error.alternatives` are the next ' +
  'three free times within 31 days. The check is part of the transaction, so two bookings at once never overlap. With ' +
  '`ifOffered`, the answer is also a 409 for a time that is not offered: the opening and working hours, the notice and the ' +
  'furthest day of the service, who does it, whether it is in use, and the areas served. `error.details` say why, and ' +
  '`error.alternatives` are the next three offers. With a service, without attendees, and with either, a free member ' +
  'attends: by the `teamAssignmentMethod` of the service. Without both, the appointment is stored, and `conflicts` name the ' +
  'overlaps. ';

export const listAppointmentsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/appointments',
  scope: 'appointments:read',
  access: ['GetItem', 'Query', 'Query list', 'Query search', 'BatchGetItem'],
  summary: 'List appointments, newest first, or by start within a range of time',
  description:
    'The newest booking first: all appointments, appointments with a lead, or appointments of an attendee. With `from` and ' +
    '`to` the list has all appointments that begin in this range, the earliest first. All are on one page, so `limit` ' +
    `does not count. An appointment that was stored a moment ago can still be missing. A range with more than ${maxInRange}, ` +
    'or with more than an answer can hold, is a 400: narrow it. `expand` can be combined with all else.',
  tellsTimeZone: true,
  params: {},
  query: AppointmentQuery,
  responses: { 200: AppointmentPage },
  errors: [],
  extension: true,
  example: pageExample('appointments', example),
});

export const createAppointmentEndpoint = endpoint({
  method: 'POST',
  path: '/v1/appointments',
  scope: 'appointments:create',
  access: ['GetItem', 'Query', 'PutItem', 'DeleteItem'],
  summary: 'Book an appointment, and find or create its lead',
  description:
    rulesOfTime +
    '`leadId` names the lead. With `lead`, the lead is found or made as by `POST /v1/inquiries`. Without both, the ' +
    'appointment is with nobody.',
  tellsTimeZone: true,
  params: {},
  query: SaidQuery,
  body: NewAppointment,
  readOnly: readOnlyFields(Appointment, NewAppointment),
  responses: { 201: BookedAppointment },
  said: {
    schema: SaidBooking,
    example: {
      say: 'You are booked for Tuesday the 8th of December at 9:30 in the morning.',
      appointmentId: example.id,
      start: example.start,
    },
  },
  record: { in: 'appointment' },
  errors: [404, 409],
  extension: true,
  example: {
    query: {},
    body: {
      title: 'Blocked drain',
      description: 'Kitchen sink, slow for a week',
      start: '2026-12-08T09:30:00+11:00',
      attendees: ['user_6H8EV88000000001'],
      tradeServiceId: 1,
      lead: { name: 'Sofia Rossi', phone: '+61 491 570 159' },
      address: example.address,
      customerNotes: 'We call half an hour before',
      ifFree: true,
    },
    response: booked,
  },
});

export const getAppointmentEndpoint = endpoint({
  method: 'GET',
  path: '/v1/appointments/{appointmentId}',
  scope: 'appointments:read',
  access: 'get',
  summary: 'Read an appointment',
  description: 'Cancelled ones stay, too.',
  params: { appointmentId },
  responses: { 200: AppointmentEnvelope },
  record: { in: 'appointment' },
  errors: [404],
  extension: true,
  example: { params, response: { appointment: example } },
});

export const updateAppointmentEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/appointments/{appointmentId}',
  scope: 'appointments:write',
  access: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  summary: 'Change or move an appointment',
  description:
    'Fields that are left out stay unchanged; `address` merges. ' +
    rulesOfTime +
    'An appointment that is COMPLETED, CANCELLED or NO_SHOW is final: changing it is a 409.',
  tellsTimeZone: true,
  params: { appointmentId },
  body: AppointmentChanges,
  readOnly: readOnlyFields(Appointment, AppointmentChanges),
  responses: { 200: BookedAppointment },
  record: { in: 'appointment' },
  errors: [404, 409],
  extension: true,
  example: {
    params,
    body: { start: '2026-12-08T13:00:00+11:00', ifFree: true },
    response: {
      ...booked,
      appointment: {
        ...example,
        start: '2026-12-08T02:00:00.000Z',
        end: '2026-12-08T03:00:00.000Z',
        isRescheduled: true,
        updatedAt: '2026-12-03T09:30:00.000Z',
      },
    },
  },
});

export const cancelAppointmentEndpoint = endpoint({
  method: 'POST',
  path: '/v1/appointments/{appointmentId}/cancel',
  scope: 'appointments:write',
  access: ['GetItem', 'PutItem', 'DeleteItem'],
  summary: 'Cancel an appointment',
  description:
    'Its time is free again. An appointment that is COMPLETED, CANCELLED or NO_SHOW is a 409, which says since when.',
  params: { appointmentId },
  responses: { 200: AppointmentEnvelope },
  record: { in: 'appointment' },
  errors: [404, 409],
  extension: true,
  example: {
    params,
    response: {
      appointment: { ...example, status: 'CANCELLED', updatedAt: '2026-12-03T09:30:00.000Z' },
    },
  },
});
