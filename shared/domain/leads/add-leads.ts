import { conflict, Failure } from '../../core/failure.ts';
import { foldCase } from '../../core/fold-case.ts';
import type { UniqueValue, Write } from '../../ledger/index.ts';
import { optedOutOf } from '../opt-outs/opt-outs.ts';
import { toE164 } from '../phone/phone-number.ts';
import type { ImportedLead } from './imported-lead.ts';
import { identifiersOf, leads, namesOf, searchedValues, type LeadRecord } from './lead-record.ts';
import { addLead } from './leads.ts';
import { optOutRefusal } from './opt-out-refusal.ts';

/** A lead of a batch that has no result yet. */
export interface WaitingLead {
  index: number;
  input: ImportedLead;
}

/** Result of one lead of a batch, once the write is stored. */
export type LeadOutcome =
  | { index: number; record: LeadRecord; values: readonly string[] }
  /** `repeatsEarlier`: an earlier lead of the same write takes a unique value of this lead. */
  | { index: number; failure: Failure; repeatsEarlier: boolean };

/** Lead ids by unique value, as `nameOf` writes it. */
type Holders = ReadonlyMap<string, string>;

/** A lead of a batch, with its phone number in E.164, and the unique values that another lead can have. */
interface Candidate {
  index: number;
  input: ImportedLead & { phone: string };
  uniques: readonly UniqueValue[];
  /** Number of the values that only a search uses. */
  searched: number;
}

/**
 * Number of items of a transaction that a lead takes: the record, its event, and each unique value. An
 * opt-out takes a record, its unique value and an event more. So at most 29 leads fit, and 9 with two names, an email and
 * a phone number.
 */
const itemsOf = ({ uniques, searched, input }: Candidate) =>
  2 + uniques.length + searched + (input.isOptedOut ? 3 : 0);

/**
 * Creates as many of these leads as the transaction has room for, in their order, as part of a write that has read the
 * pipeline. Returns the outcome of each. With `asksFirst`, reads which unique values are taken, and fails the leads
 * that have a taken value. Otherwise fails the leads that have a value in `holders`; any other taken value fails the
 * write.
 */
export async function addLeads(
  write: Write,
  waiting: readonly WaitingLead[],
  { holders, asksFirst }: { holders: Holders; asksFirst: boolean },
): Promise<LeadOutcome[]> {
  const settled: LeadOutcome[] = [];
  const own = new Map<string, string>();
  // Failed leads leave room for others, but another read is not worth it for a few.
  const enough = write.remainingItems / 2;
  let rest = waiting;
  while (rest.length > 0 && write.remainingItems >= enough) {
    const { candidates, refused, left } = await nextCandidates(write, rest);
    rest = left;
    settled.push(...refused);
    const phones = candidates.map(({ input }) => input.phone);
    const [taken, optedOut] = await Promise.all([
      asksFirst ? holdersIn(write, candidates, own) : holders,
      optedOutOf(write, phones),
    ]);
    for (const { index, input, uniques } of candidates) {
      const conflictWithStored = conflictWith(taken, uniques);
      const hasOptedOut = optedOut.has(input.phone);
      const failure =
        conflictWithStored ??
        conflictWith(own, uniques) ??
        optOutRefusal(input.isOptedOut, { phone: input.phone, isOptedOut: hasOptedOut });
      if (failure) {
        const repeatsEarlier = failure.kind === 'conflict' && conflictWithStored === undefined;
        settled.push({ index, failure, repeatsEarlier });
        continue;
      }
      const { ref, record } = await addLead(write, input, hasOptedOut);
      write.keep(ref, index);
      const values = uniques.map(nameOf);
      for (const value of values) own.set(value, record.id);
      settled.push({ index, record, values });
    }
  }
  return settled;
}

/**
 * The first leads that fit into the transaction together. `refused` are the leads with an invalid phone number.
 */
async function nextCandidates(write: Write, waiting: readonly WaitingLead[]) {
  const candidates: Candidate[] = [];
  const refused: LeadOutcome[] = [];
  let room = write.remainingItems;
  for (const [at, lead] of waiting.entries()) {
    try {
      const candidate = await candidateOf(lead, write.country);
      room -= itemsOf(candidate);
      if (room < 0) return { candidates, refused, left: waiting.slice(at) };
      candidates.push(candidate);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refused.push({ index: lead.index, failure: error, repeatsEarlier: false });
    }
  }
  return { candidates, refused, left: [] };
}

/** @throws Failure `invalid` for the phone number */
async function candidateOf({ index, input }: WaitingLead, country: string): Promise<Candidate> {
  const phone = input.phone ? await toE164(input.phone, country) : '';
  const { email = '', externalId = '', importKey } = input;
  const uniques = identifiersOf({ email, phone, externalId, importKey }).filter(({ value }) => value !== '');
  const { businessName = '' } = input;
  const searched = searchedValues({ ...namesOf(input), businessName, phone }, '').length;
  return { index, input: { ...input, phone }, uniques, searched };
}

/**
 * Ids of the stored leads that have one of these unique values. Values that this write claims are left out.
 */
async function holdersIn(write: Write, candidates: readonly Candidate[], own: Holders): Promise<Holders> {
  const uniques = candidates.flatMap((candidate) => candidate.uniques).filter((one) => !own.has(nameOf(one)));
  const ids = await write.holdersOf(leads, uniques);
  return new Map(
    uniques.flatMap((unique, at) => {
      const id = ids[at];
      return id === undefined ? [] : [[nameOf(unique), id] as const];
    }),
  );
}

/** Text to compare unique values by. */
const nameOf = ({ field, value, isExact }: UniqueValue) => `${field} ${isExact ? value : foldCase(value)}`;

function conflictWith(holders: Holders, uniques: readonly UniqueValue[]): Failure | undefined {
  for (const unique of uniques) {
    const holder = holders.get(nameOf(unique));
    if (holder !== undefined) return conflict(leads.label, unique.field, { existingId: holder });
  }
  return undefined;
}
