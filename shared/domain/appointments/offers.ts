import type { Appointment } from '../../contract/appointments.ts';
import type { NoSlotsReason } from '../../contract/availability.ts';
import type { FieldProblem } from '../../core/failure.ts';
import type { RecordOf } from '../../ledger/index.ts';
import { type Hours } from '../calendar/hours.ts';
import { say } from '../calendar/say.ts';
import { endOf, isInHours, slotsOf, startsOf, type Job, type SlotRange } from '../calendar/slots.ts';
import type { Span } from '../calendar/spans.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import type { MemberRecord } from '../members/members.ts';
import { isOutside } from '../organizations/areas.ts';
import type { organizations } from '../settings/organization-record.ts';
import type { services } from '../services/services.ts';
import { nowIn } from './times.ts';

export type ServiceRecord = RecordOf<typeof services>;

/** Work that can be offered: a service, or the work of an appointment without one. Anybody does work without an id. */
export type OfferedWork = Job &
  Pick<ServiceRecord, 'isActive'> &
  Partial<Pick<ServiceRecord, 'id' | 'teamAssignmentMethod'>>;

/** Settings of an organization that say when and where it works. */
export type Settings = Hours & Pick<RecordOf<typeof organizations>, 'areasServed'>;

/** A member as somebody who may do a job. */
export const staffOf = ({ id: number, userId, schedule }: MemberRecord): Staff => ({
  number,
  userId,
  schedule,
});

const knows = ({ schedule: { serviceIds } }: MemberRecord, { id }: Pick<OfferedWork, 'id'>): boolean =>
  id === undefined || serviceIds.length === 0 || serviceIds.includes(id);

/** Members who do a service, in the order of their proposal. */
export function membersFor(
  service: Pick<OfferedWork, 'id' | 'teamAssignmentMethod'>,
  people: readonly MemberRecord[],
): MemberRecord[] {
  const turnOf = ({ newestAppointment }: MemberRecord) =>
    service.teamAssignmentMethod === 'ROUND_ROBIN' ? newestAppointment : 0;
  return people
    .filter((member) => !member.isDisabled && knows(member, service))
    .sort(
      (one, other) =>
        turnOf(one) - turnOf(other) || one.schedule.priority - other.schedule.priority || one.id - other.id,
    );
}

/** A time that a client wants for a service. */
export interface WantedOffer {
  settings: Settings;
  service: OfferedWork;
  /** The service, as long as the appointment takes. */
  job: Job;
  span: Span;
  /** True if the client chose the end. */
  isEndGiven: boolean;
  address: Pick<Appointment['address'], 'suburb' | 'postcode'>;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Reasons why availability does not offer a time, whoever attends: the service, the place, or the time itself. Empty if
 * nothing speaks against the time.
 */
export function whyNotOffered(wanted: WantedOffer): FieldProblem[] {
  const { settings, service, job, span, isEndGiven, address, now } = wanted;
  const [start, end] = span;
  const [soonest, latest] = startsOf(settings, job, now);
  const local = (time: number) => say(settings.timeZone, time);
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  if (!service.isActive) add('tradeServiceId', 'names a service that is not in use; take another service');
  if (isOutside(settings.areasServed, address)) add('address', 'is outside the areas served');
  if (start < now) add('start', `is in the past: ${nowIn(settings, now)}`);
  else if (start < soonest) add('start', `is too soon: the first time is ${local(soonest)}`);
  else if (start >= latest)
    add('start', `is too far ahead: the last day is before ${local(latest)}, and ${nowIn(settings, now)}`);
  // The days of a service in days are those of its attendees. The hours of a time that has passed help nobody.
  if (service.durationUnit === 'DAYS' || start < now) return problems;
  if (isEndGiven && end < endOf(settings, service, [], start))
    add('end', `is too early: the service takes ${service.duration} ${service.durationUnit.toLowerCase()}`);
  if (!isInHours(settings, job, [], span))
    add('start', `is outside the hours of the business: it is ${local(start)}, local time`);
  return problems;
}

/** Reasons why attendees cannot do a service at a time that is offered, apart from their bookings and days off. */
export function whyNotBy(
  attendees: readonly MemberRecord[],
  { settings, service, job, span }: Pick<WantedOffer, 'settings' | 'service' | 'job' | 'span'>,
): FieldProblem[] {
  const isDays = service.durationUnit === 'DAYS';
  const problems = attendees.flatMap((member, at) => {
    const why = member.isDisabled
      ? 'is disabled'
      : !knows(member, service)
        ? 'does not do the service'
        : !isDays && !isInHours(settings, job, [staffOf(member)], span)
          ? 'does not work then'
          : undefined;
    return why === undefined
      ? []
      : { field: `attendees.${at}`, message: `names ${member.userId}, who ${why}` };
  });
  if (isDays && !isInHours(settings, service, attendees.map(staffOf), span))
    problems.push({ field: 'start', message: 'is not when a working day of all attendees begins' });
  return problems;
}

/** The reason why a service has no slot in a range of time. `staff`: members who do the service. */
export function whyNoSlots(
  settings: Settings,
  service: ServiceRecord,
  staff: readonly Staff[],
  { isOutside: outside, ...range }: Omit<SlotRange, 'limit'> & { isOutside: boolean },
): NoSlotsReason {
  const { from, to, now } = range;
  const [soonest, latest] = startsOf(settings, service, now);
  if (!service.isActive) return 'NOT_OFFERED';
  if (outside) return 'OUTSIDE_AREA';
  if (staff.length === 0) return 'NOBODY';
  if (to <= now) return 'PAST';
  if (to <= soonest) return 'TOO_SOON';
  if (from >= latest) return 'TOO_FAR';
  return slotsOf(settings, service, staff, [], { ...range, limit: 1 }).length === 0 ? 'CLOSED' : 'BOOKED';
}
