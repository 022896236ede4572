import * as v from 'valibot';
import type { Collection, Write } from '../../ledger/index.ts';
import { comparableNumber } from '../phone/phone-number.ts';

/**
 * Numbers that have opted out of SMS, each as a keyed hash. An opt-out belongs to the number, so it outlives
 * a deleted lead.
 */
export const optOuts = {
  name: 'OPTOUT',
  label: 'opt-out',
  schema: v.object({
    id: v.number(),
    /** `Write.hashed` of the `comparableNumber`. */
    numberHash: v.string(),
    /** Time of the opt-out: when the newest STOP came in. */
    createdAt: v.string(),
    /** Present once a HELP of the number was answered after the opt-out. */
    isHelped: v.optional(v.literal(true)),
  }),
  uniques: ({ numberHash }: { numberHash: string }) => [hashOf(numberHash)],
} as const satisfies Collection;

/**
 * Keyed hash of a number, in E.164.
 * @throws Error if the organization has opt-outs, and the key is lost
 */
export function hashedNumber(write: Write, phone: string): string {
  if (hasAny(write) && !write.hasHashKey)
    throw new Error('The head has lost hashKey, without which no opt-out is found by its number');
  return write.hashed(comparableNumber(phone));
}

const hashOf = (numberHash: string) => ({ field: 'numberHash', value: numberHash, isExact: true as const });

/**
 * True if a number, in E.164 or empty, has opted out. Reads nothing if the organization has no opt-outs.
 * @throws Error if the hash key of opt-outs is lost: a number that said STOP must never count as not opted out
 */
export async function isOptedOut(write: Write, phone: string): Promise<boolean> {
  return (await holderOf(write, phone)) !== undefined;
}

/**
 * The numbers, of those given in E.164 or empty, that have opted out. One read.
 * @throws Error as `isOptedOut`
 */
export async function optedOutOf(write: Write, phones: readonly string[]): Promise<Set<string>> {
  const given = phones.filter((phone) => phone !== '');
  if (given.length === 0 || !hasAny(write)) return new Set();
  const hashes = given.map((phone) => hashOf(hashedNumber(write, phone)));
  const holders = await write.holdersOf(optOuts, hashes);
  return new Set(given.filter((_, at) => holders[at] !== undefined));
}

/** The opt-out that was stored or removed. `changedSides` is false if only the time changed. */
export interface OptOutChange {
  id: number;
  changedSides: boolean;
}

/**
 * Opts a number out, as part of a write. A repeat with a later `at` only stores that time. Undefined if
 * nothing changes.
 */
export async function optOut(
  write: Write,
  phone: string,
  at: string = write.now,
): Promise<OptOutChange | undefined> {
  const stored = await readOptOut(write, phone);
  if (stored) {
    const { ref, record } = stored;
    if (record.createdAt >= at) return undefined;
    write.replace(ref, { ...record, createdAt: at });
    return { id: record.id, changedSides: false };
  }
  return { id: addOptOut(write, phone, at), changedSides: true };
}

/** Opts out a number that is known not to have opted out, as part of a write. Returns the opt-out's id. */
export function addOptOut(write: Write, phone: string, at: string = write.now): number {
  const numberHash = hashedNumber(write, phone);
  const { record } = write.append(optOuts, ({ number }) => ({ id: number, numberHash, createdAt: at }));
  return record.id;
}

/**
 * Ends the opt-out of a number, as part of a write. Undefined if there is no opt-out, or if the opt-out is not earlier
 * than `at`. SMS can be processed in another order than they came in, and the later SMS counts.
 */
export async function optIn(write: Write, phone: string, at: string): Promise<OptOutChange | undefined> {
  const stored = await readOptOut(write, phone);
  if (!stored || stored.record.createdAt >= at) return undefined;
  write.remove(stored.ref);
  return { id: stored.record.id, changedSides: true };
}

/**
 * Records that a HELP of a number is answered, as part of a write. False if the number has opted out and its HELP was
 * answered since then: such a number gets the answer once.
 */
export async function recordHelpAnswer(write: Write, phone: string): Promise<boolean> {
  const stored = await readOptOut(write, phone);
  if (stored?.record.isHelped) return false;
  if (stored) write.replace(stored.ref, { ...stored.record, isHelped: true });
  return true;
}

/**
 * Counts an answer to a number's keyword, as part of a write. `maxPerDay` is the limit of each kind in a day,
 * UTC.
 * @throws Failure `throttled` from `Ledger.write`, not from here, beyond a limit
 */
export function countAnswer(write: Write, phone: string, maxPerDay: Readonly<Record<string, number>>): void {
  const name = hashedNumber(write, phone);
  for (const [kind, max] of Object.entries(maxPerDay)) write.countToday({ kind, name, max });
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

const hasAny = (write: Write): boolean => write.count(optOuts) > 0;
