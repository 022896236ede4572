import { isDeepStrictEqual } from 'node:util';
import type { Appointment } from '../../contract/appointments.ts';
import type { FieldProblem } from '../../core/failure.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { endOf, maxLength, type Job } from '../calendar/slots.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import { memberRef, members, type MemberRecord } from '../members/members.ts';
import { bookingOf } from './appointment-record.ts';
import { bookedAround, conflictsOf } from './conflicts.ts';
import { membersFor, staffOf, whyNotBy, whyNotOffered, type ServiceRecord, type Settings } from './offers.ts';
import { notFree, notOffered } from './refusals.ts';
import { jobOf } from './times.ts';

/** An appointment without attendees. The service is to choose a member. */
interface Choice<P extends { address: Appointment['address'] }> {
  /** Number of the appointment. */
  number: number;
  service: ServiceRecord;
  settings: Settings;
  start: string;
  /** Undefined if the service decides. */
  end: string | undefined;
  buffers: Pick<Job, 'bufferBefore' | 'bufferAfter'>;
  /** Finds where it is. Called once, beside other reads. */
  findPlace: () => Promise<P>;
  /** True if availability must offer the time. */
  ifOffered: boolean;
  /** True if the client chose the end. */
  isEndGiven: boolean;
  /** User who is chosen before all others, if free: a repeated change must not choose again. */
  first?: string | undefined;
  /** Epoch milliseconds. */
  now: number;
}

interface Candidate {
  member: MemberRecord;
  end: string;
}

/**
 * Chooses the first free member in the order of the service's proposal, and reads the member to change it. One query
 * reads all members, so the order may be one write old. What is booked and the chosen member are current: a member who
 * has changed since takes a new place in the order.
 * @throws Failure `conflict`, with the next times when anybody is free
 */
export async function chooseAttendee<P extends { address: Appointment['address'] }>(
  ledger: Ledger,
  write: Write,
  { number, service, settings, start, end, findPlace, ifOffered, now, ...choice }: Choice<P>,
): Promise<{ userId: string; end: string; place: P }> {
  const { bufferBefore, bufferAfter } = choice.buffers;
  const buffers = { bufferBefore, bufferAfter };
  const begin = Date.parse(start);
  const endFor = (staff: readonly Staff[]) =>
    end === undefined ? endOf(settings, service, staff, begin) : Date.parse(end);
  const bookingTo = (until: number | string, attendees: string[]) =>
    bookingOf({ start, end: new Date(until).toISOString(), attendees, ...buffers });
  const usualEnd = Math.min(endFor([]), begin + maxLength);
  const [stored, place] = await Promise.all([
    ledger.all(members),
    findPlace(),
    bookedAround(write, bookingTo(usualEnd, [])),
  ]);
  const wantedUntil = (until: number) => ({
    settings,
    service,
    isEndGiven: choice.isEndGiven,
    address: place.address,
    now,
    job: { ...jobOf(service, { start, end: new Date(until).toISOString() }), ...buffers },
    span: [begin, until] as const,
  });
  const wanted = wantedUntil(usualEnd);
  const refuse = async (...details: [FieldProblem, ...FieldProblem[]]) =>
    notOffered(ledger, details, wanted, { attendees: [], number });
  const [problem, ...others] = ifOffered ? whyNotOffered(wanted) : [];
  if (problem) throw await refuse(problem, ...others);
  const candidateOf = (member: MemberRecord): Candidate | undefined => {
    const until = endFor([staffOf(member)]);
    if (!Number.isFinite(until)) return undefined;
    const isOffered = !ifOffered || whyNotBy([member], wantedUntil(until)).length === 0;
    return isOffered ? { member, end: new Date(until).toISOString() } : undefined;
  };
  const isFree = async ({ member, end: until }: Candidate) => {
    const booking = bookingTo(until, [member.userId]);
    const booked = await bookedAround(write, booking);
    return (
      conflictsOf(ledger, { booking, number, staff: [staffOf(member)], hours: settings }, booked).length === 0
    );
  };
  for (let people = stored; ;) {
    const team = membersFor(service, people).sort(
      (one, other) => Number(other.userId === choice.first) - Number(one.userId === choice.first),
    );
    if (team.length === 0)
      throw await refuse({ field: 'tradeServiceId', message: 'names a service that nobody does' });
    const candidates = team.map(candidateOf).filter((one) => one !== undefined);
    if (candidates.length === 0)
      throw await refuse({ field: 'start', message: 'is when nobody works who does the service' });
    const chosen = await firstOf(candidates, isFree);
    if (!chosen)
      throw await notFree(ledger, {
        number,
        hours: settings,
        job: wanted.job,
        start: begin,
        now,
        staff: team.map(staffOf),
        isAny: true,
      });
    const { id, userId } = chosen.member;
    const current = await write.read(memberRef(userId), { mayStayUnchanged: true });
    if (isDeepStrictEqual(current, chosen.member)) return { userId, end: chosen.end, place };
    people = people.flatMap((one) => (one.id === id ? (current ?? []) : one));
  }
}

/** The first that meets a condition, which is asked of one after the other. */
async function firstOf<T>(all: readonly T[], meets: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await meets(one)) return one;
  return undefined;
}
