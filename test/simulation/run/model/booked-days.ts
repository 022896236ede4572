import type { Fields } from '../same.ts';
import { numberAtEnd } from './ids.ts';

const minute = 60_000;
const day = 86_400_000;

/** Time that an appointment takes of members, in epoch milliseconds. */
export interface Booking {
  /** Number of the appointment. */
  number: number;
  start: number;
  end: number;
  /** The same with its buffers. */
  from: number;
  to: number;
  /** User ids. */
  attendees: readonly string[];
}

export function bookingOf(number: number, appointment: Fields): Booking {
  const [start, end] = [appointment['start'], appointment['end']].map((time) => Date.parse(String(time))) as [
    number,
    number,
  ];
  const from = start - Number(appointment['bufferBefore']) * minute;
  const to = end + Number(appointment['bufferAfter']) * minute;
  return { number, start, end, from, to, attendees: appointment['attendees'] as string[] };
}

/** True if an appointment with this status takes time, and can change. */
export const isOpen = (status: unknown): boolean => status === 'PENDING' || status === 'CONFIRMED';

/** Entries of an appointment in the items of the days (UTC) that it touches, by date (`data-model.md`, "What is booked"). */
export function entriesOf(appointment: Fields | undefined): Map<string, string> {
  const entries = new Map<string, string>();
  if (!appointment || !isOpen(appointment['status'])) return entries;
  const booking = bookingOf(numberAtEnd(appointment['id']), appointment);
  const { number, start, end, from, to, attendees } = booking;
  if (attendees.length === 0) return entries;
  for (let midnight = Math.floor(from / day) * day; midnight < to; midnight += day) {
    const minutes = [start - midnight, end - start, start - from, to - end].map((time) => time / minute);
    const members = attendees.map(numberAtEnd).join(',');
    entries.set(new Date(midnight).toISOString().slice(0, 10), [number, ...minutes, members].join('/'));
  }
  return entries;
}

/** Replaces the entry of an appointment in the text of a day, or removes it. */
export function withEntry(text = '', number: number, entry: string | undefined): string {
  const others = text.split(' ').filter((one) => one !== '' && !one.startsWith(`${number}/`));
  return [...others, ...(entry === undefined ? [] : [entry])]
    .sort((one, other) => parseInt(one) - parseInt(other))
    .join(' ');
}
