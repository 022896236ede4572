import * as v from 'valibot';
import type { Collection, Write } from '../../ledger/index.ts';
import { comparableNumber } from '../phone/phone-number.ts';

/**
 * Numbers that have opted out of SMS, each as a keyed hash. An opt-out belongs to the number, not to a lead, so
 * it outlives a lead that is deleted.
 */
export const optOuts = {
  name: 'OPTOUT',
  label: 'opt-out',
  schema: v.object({
    id: v.number(),
    /** `Write.hashed` of the number in E.164, as it is compared. */
    numberHash: v.string(),
    /** When the number opted out, by the newest text that said so. */
    createdAt: v.string(),
    /** Present once a HELP of the number was answered since it opted out. */
    isHelped: v.optional(v.literal(true)),
  }),
  uniques: ({ numberHash }: { numberHash: string }) => [hashOf(numberHash)],
} as const satisfies Collection;

/** A number as an opt-out has it: the hash of what it is compared as. */
const hashedNumber = (write: Write, phone: string) => write.hashed(comparableNumber(phone));

const hashOf = (numberHash: string) => ({ field: 'numberHash', value: numberHash, isExact: true as const });

/**
 * Whether a number, in E.164 or empty, has opted out. Reads nothing while the organization has no opt-out.
 * @throws Error where the key is lost by which opt-outs are found: who said STOP must not be taken for one who did not
 */
export async function isOptedOut(write: Write, phone: string): Promise<boolean> {
  return (await holderOf(write, phone)) !== undefined;
}

/**
 * Which of these numbers, in E.164 or empty, have opted out. As `isOptedOut` of each, by one read.
 * @throws Error as `isOptedOut`
 */
export async function optedOutOf(write: Write, phones: readonly string[]): Promise<Set<string>> {
  const given = phones.filter((phone) => phone !== '');
  if (given.length === 0 || !hasAny(write)) return new Set();
  const hashes = given.map((phone) => hashOf(hashedNumber(write, phone)));
  const holders = await write.holdersOf(optOuts, hashes);
  return new Set(given.filter((_, at) => holders[at] !== undefined));
}

/** What an opt-out or its end has changed: the opt-out, and whether the number is now what it was not. */
export interface OptOutChange {
  id: number;
  isNew: boolean;
}

/**
 * The part of a write that opts a number out. A repeat only moves the moment on, if `at` is later. Undefined if
 * nothing changes.
 */
export async function optOut(
  write: Write,
  phone: string,
  at: string = write.now,
): Promise<OptOutChange | undefined> {
  const known = await readOptOut(write, phone);
  if (known) {
    const { ref, record } = known;
    if (record.createdAt >= at) return undefined;
    write.replace(ref, { ...record, createdAt: at });
    return { id: record.id, isNew: false };
  }
  return { id: addOptOut(write, phone, at), isNew: true };
}

/** The part of a write that opts out a number of which it is known that it has not. Returns the opt-out's id. */
export function addOptOut(write: Write, phone: string, at: string = write.now): number {
  const numberHash = hashedNumber(write, phone);
  const { record } = write.append(optOuts, ({ number }) => ({ id: number, numberHash, createdAt: at }));
  return record.id;
}

/**
 * The part of a write that ends the opt-out of a number. Undefined if it has none, or opted out after `at`: texts
 * can come in another order than they were sent, and then the opt-out counts.
 */
export async function optIn(write: Write, phone: string, at: string): Promise<OptOutChange | undefined> {
  const known = await readOptOut(write, phone);
  if (!known || known.record.createdAt >= at) return undefined;
  write.remove(known.ref);
  return { id: known.record.id, isNew: true };
}

/**
 * The part of a write that notes that a HELP of a number is answered. False if the number has opted out and had its answer: who wants
 * no more texts is told once how to get them again.
 */
export async function recordHelpAnswer(write: Write, phone: string): Promise<boolean> {
  const known = await readOptOut(write, phone);
  if (known?.record.isHelped) return false;
  if (known) write.replace(known.ref, { ...known.record, isHelped: true });
  return true;
}

/** The part of a write that counts an answer to a keyword of a number: so many a day, UTC, as `of` says for each kind. */
export function countAnswer(write: Write, phone: string, of: Readonly<Record<string, number>>): void {
  const name = hashedNumber(write, phone);
  for (const [kind, max] of Object.entries(of)) write.countToday({ kind, name, max });
}

async function readOptOut(write: Write, phone: string) {
  const number = await holderOf(write, phone);
  if (number === undefined) return undefined;
  const ref = { collection: optOuts, number };
  const record = await write.read(ref, { mayStayUnchanged: true });
  return record && { ref, record };
}

async function holderOf(write: Write, phone: string): Promise<number | undefined> {
  if (phone === '' || !hasAny(write)) return undefined;
  return write.holderOf(optOuts, hashOf(hashedNumber(write, phone)));
}

/** Whether the organization has opt-outs. @throws Error where it has, and has lost the key by which they are found */
function hasAny(write: Write): boolean {
  if (write.count(optOuts) === 0) return false;
  if (!write.hasHashKey)
    throw new Error('The head has lost hashKey, without which no opt-out is found by its number');
  return true;
}
