import * as v from 'valibot';
import { tooManyBooked } from '../../core/failure.ts';
import type { Item } from './attributes.ts';
import type { Booking } from './collection.ts';
import { recordDoesNotExist, revisionUnchanged } from './conditions.ts';
import { bookedKey } from './keys.ts';
import { revisionOf } from './stored-record.ts';
import type { TransactOperation, WriteTarget } from './table-client.ts';

/** Booking, with the number of its record. */
export interface Booked extends Booking {
  number: number;
}

const minute = 60_000;
const minutesOfDay = 1440;

/** Maximum number of records that take time of one day (UTC): one item names them all. */
export const maxBookedOfDay = 1000;

/** The days (UTC) that a span touches, as ISO 8601 dates. `to` is not part of the span. */
export function daysTouchedBy(from: string | number, to: string | number): string[] {
  const [start, end] = [minutesAt(from), minutesAt(to)];
  const first = Math.floor(start / minutesOfDay);
  const count = start < end ? Math.ceil(end / minutesOfDay) - first : 0;
  return Array.from({ length: count }, (_, at) => dayAt((first + at) * minutesOfDay));
}

/** Minutes since 1970. */
const minutesAt = (time: string | number): number => new Date(time).getTime() / minute;

const timeAt = (minutes: number): string => new Date(minutes * minute).toISOString();
const dayAt = (minutes: number): string => timeAt(minutes).slice(0, 10);

/**
 * Entries of a booking, for the item of each day that the booking or its buffers touch. `7/540/60/0/15/1,2` is the
 * booking of record 7: it begins 540 minutes after midnight and lasts 60 minutes. The buffers are 0 minutes before and
 * 15 minutes after, and the booking takes members 1 and 2.
 * @throws Error if a time is not a whole minute
 */
export function entriesOf(number: number, booking: Booking | undefined): Map<string, string> {
  if (!booking) return new Map();
  const { bufferBefore, bufferAfter, members } = booking;
  const [start, end] = [minutesAt(booking.start), minutesAt(booking.end)];
  if (![start, end, bufferBefore, bufferAfter].every(Number.isInteger))
    throw new Error('A booking that is not of whole minutes');
  const days = daysTouchedBy((start - bufferBefore) * minute, (end + bufferAfter) * minute);
  const after = [end - start, bufferBefore, bufferAfter, members.join(',')].join('/');
  return new Map(days.map((day) => [day, `${number}/${start - minutesAt(day)}/${after}`]));
}

/** Entries of days, by day and record number. */
export type DayEntries = Map<string, Map<number, string>>;

/** Adds the entries of a booking to the entries of its days. */
export function addEntries(days: DayEntries, number: number, booking: Booking | undefined): void {
  for (const [day, entry] of entriesOf(number, booking))
    days.set(day, (days.get(day) ?? new Map<number, string>()).set(number, entry));
}

/**
 * The days that a change of a record's booking affects, each with the new entry. The entry is undefined if the day
 * loses the booking.
 */
export function changedDays(
  number: number,
  before: Booking | undefined,
  after: Booking | undefined,
): Map<string, string | undefined> {
  const [had, has] = [entriesOf(number, before), entriesOf(number, after)];
  const days = [...new Set([...had.keys(), ...has.keys()])];
  return new Map(
    days.flatMap((day) => (had.get(day) === has.get(day) ? [] : [[day, has.get(day)] as const])),
  );
}

const DayItem = v.object({ booked: v.string() });

/** The entries of a day's item, by the number of the record. */
const entriesIn = (item: Item | undefined): Map<number, string> =>
  new Map(
    (item ? v.parse(DayItem, item).booked.split(' ') : []).map((entry) => [
      Number.parseInt(entry, 10),
      entry,
    ]),
  );

/** Text of a day's entries, the lowest number first. */
export const formatEntries = (entries: ReadonlyMap<number, string>): string =>
  [...entries]
    .sort(([one], [other]) => one - other)
    .map(([, entry]) => entry)
    .join(' ');

/**
 * Bookings in the items of days, each once, by start and number. @throws Error for a malformed entry
 */
export function bookedIn(items: Iterable<readonly [day: string, item: Item | undefined]>): Booked[] {
  const found = new Map<number, { start: number; booked: Booked }>();
  for (const [day, item] of items)
    for (const [number, entry] of entriesIn(item))
      if (!found.has(number)) found.set(number, parse(day, entry));
  return [...found.values()]
    .sort((one, other) => one.start - other.start || one.booked.number - other.booked.number)
    .map(({ booked }) => booked);
}

function parse(day: string, entry: string): { start: number; booked: Booked } {
  const [, number, from, length, before, after, members] =
    /^(\d+)\/(-?\d+)\/(\d+)\/(\d+)\/(\d+)\/([\d,]+)$/.exec(entry) ?? [];
  if (members === undefined) throw new Error(`The bookings of ${day} cannot be read`);
  const start = minutesAt(day) + Number(from);
  return {
    start,
    booked: {
      number: Number(number),
      start: timeAt(start),
      end: timeAt(start + Number(length)),
      bufferBefore: Number(before),
      bufferAfter: Number(after),
      members: members.split(',').map(Number),
    },
  };
}

/**
 * The operation that changes a day's item, on condition that no other write has changed the item since it was read. The
 * condition is needed even if the entry to remove is missing: the read may be stale. A day without entries has no item.
 * @throws Failure `conflict` if the day has no room for another entry
 */
export function dayOperation(
  { tableName: TableName, organization }: WriteTarget,
  day: string,
  item: Item | undefined,
  changes: readonly { number: number; entry: string | undefined }[],
  revision: number,
): TransactOperation {
  const entries = entriesIn(item);
  const count = entries.size;
  for (const { number, entry } of changes)
    if (entry === undefined) entries.delete(number);
    else entries.set(number, entry);
  if (entries.size > Math.max(count, maxBookedOfDay)) throw tooManyBooked(day);
  const booked = formatEntries(entries);
  const Key = bookedKey(organization, day);
  const condition = item ? revisionUnchanged(revisionOf(item)) : recordDoesNotExist;
  if (booked === '') return { Delete: { TableName, Key, ...condition } };
  return { Put: { TableName, Item: { booked, revision, ...Key }, ...condition } };
}
