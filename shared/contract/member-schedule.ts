import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { dateInput, line, readOnlyFields, recordNumber } from './fields.ts';
import { memberId } from './members.ts';
import { NewWeekHours, noHours, WeekHours } from './opening-hours.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'organization';

/** Days on which a member does not work. */
export const DayOff = v.strictObject({ from: v.string(), to: v.string(), reason: v.string() });
export type DayOff = v.InferOutput<typeof DayOff>;

/** Days off in a body. */
export const NewDayOff = v.pipe(
  v.strictObject({ from: dateInput, to: v.optional(dateInput), reason: v.optional(line(100)) }),
  v.forward(
    v.partialCheck([['from'], ['to']], ({ from, to = from }) => to >= from, 'must not be before `from`'),
    ['to'],
  ),
);

/** Rank of a member among the free members. */
const priority = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000));

/** Schedule of a member: docs/reference/organization.md, Schedule. */
export const schedule = v.strictObject({
  workingHours: WeekHours,
  daysOff: v.array(DayOff),
  serviceIds: v.array(recordNumber),
  priority,
});
export type Schedule = v.InferOutput<typeof schedule>;

/** Schedule of a member who has just joined. */
export const newSchedule: Schedule = { workingHours: noHours, daysOff: [], serviceIds: [], priority: 0 };

/** Schedule as the API shows it, with the number of its member. */
export const MemberSchedule = v.strictObject({ id: recordNumber, ...schedule.entries });
export type MemberSchedule = v.InferOutput<typeof MemberSchedule>;

/** Body of a change of a schedule. Fields that are left out stay. */
export const ScheduleChanges = v.strictObject({
  workingHours: v.optional(NewWeekHours),
  daysOff: v.optional(v.pipe(v.array(NewDayOff), v.maxLength(100))),
  serviceIds: v.optional(
    v.pipe(
      v.array(recordNumber),
      v.maxLength(100),
      v.check((ids) => new Set(ids).size === ids.length, 'must have each service at most once'),
    ),
  ),
  priority: v.optional(priority),
});
export type ScheduleChanges = v.InferOutput<typeof ScheduleChanges>;

export const ScheduleEnvelope = v.strictObject({ schedule: MemberSchedule });

export const descriptions = {
  DayOff: {
    is: 'Days on which a member does not work',
    fields: {
      from: 'The first of the days, a local date',
      to: 'The last of the days, a local date',
      reason: 'Why, for the people of the organization',
    },
  },
  NewDayOff: {
    is: 'Days off, as a body has them',
    like: 'DayOff',
    fields: { to: 'The last of the days, a local date; the first one when not given' },
  },
  MemberSchedule: {
    is: 'When a member works, and on what',
    fields: {
      id: "The member's id",
      workingHours:
        "The member's working hours of a week, in the organization's time zone. Without any hours the opening hours alone " +
        'count',
      daysOff: 'The days on which the member does not work, whatever the hours say',
      serviceIds: 'The ids of the services that the member does. Without any id the member does them all',
      priority:
        'The rank among the free members: the lowest is proposed first, and among equals the member who joined first. 0 at ' +
        'first',
    },
  },
  ScheduleChanges: {
    is: "The body to change a member's schedule",
    like: 'MemberSchedule',
    fields: {
      workingHours: "The member's working hours of a week, in place of all former hours",
      daysOff: 'The days on which the member does not work, in place of all that there were',
      serviceIds: 'The ids of the services that the member does, in place of those that there were',
    },
  },
  ScheduleEnvelope: { is: "A member's schedule", fields: { schedule: 'The schedule' } },
} satisfies Descriptions;

const workday = [{ from: '07:00', to: '15:30' }];
const example = {
  id: 2,
  workingHours: {
    ...noHours,
    monday: workday,
    tuesday: workday,
    wednesday: workday,
    thursday: workday,
  },
  daysOff: [{ from: '2026-12-21', to: '2027-01-08', reason: 'Holidays' }],
  serviceIds: [1],
  priority: 1,
};

export const getMemberScheduleEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/members/{memberId}/schedule',
  scope: 'members:read',
  access: 'get',
  summary: "Read a member's schedule",
  description:
    'Working hours, days off, the services that the member does, and the priority among the others.',
  params: { memberId },
  responses: { 200: ScheduleEnvelope },
  record: { in: 'schedule' },
  errors: [404],
  extension: true,
  example: { params: { memberId: '2' }, response: { schedule: example } },
});

export const updateMemberScheduleEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/organization/members/{memberId}/schedule',
  scope: 'members:write',
  access: 'put',
  summary: "Change a member's schedule",
  description:
    'Fields that are left out stay unchanged. `workingHours`, `daysOff` and `serviceIds` each replace all that was ' +
    'there. Existing appointments do not change.',
  params: { memberId },
  body: ScheduleChanges,
  readOnly: readOnlyFields(MemberSchedule, ScheduleChanges),
  responses: { 200: ScheduleEnvelope },
  record: { in: 'schedule' },
  errors: [404],
  extension: true,
  example: {
    params: { memberId: '2' },
    body: { priority: 5 },
    response: { schedule: { ...example, priority: 5 } },
  },
});
