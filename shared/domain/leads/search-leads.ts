import { foldCase } from '../../core/fold-case.ts';
import { pageIn, type Page, type PageQuery } from '../../core/page.ts';
import { foldedWords, fromEnd, searchTerms, type SearchTerm } from '../../core/search-terms.ts';
import type { Ledger } from '../../ledger/index.ts';
import { beginningsOf } from '../phone/phone-number.ts';
import { leads, type LeadRecord } from './lead-record.ts';

/** Number of leads that a search finds at most. */
const maxFound = 100;
/** Number of values that a query reads, and of queries by each term. A thousand values are some 30 read units. */
const perQuery = 250;
const maxQueries = 4;

/** A page of what a search has found. `hasMore`: more leads match than `totalCount` counts. */
export type FoundLeads = Page<LeadRecord> & { hasMore: boolean };

/** Values of one field that begin like a text, and how far they were read. */
interface Scan {
  field: 'word' | 'email' | 'phone' | 'phoneEnd';
  beginning: string;
  isSearched?: true;
  found: { value: string; id: string }[];
  isWhole: boolean;
}

/**
 * Finds leads that match every term, in any order. A word is the beginning of a word of the lead's names. An email
 * address is given by its beginning, and a phone number by its beginning or its end. At most 100 leads are found, in
 * alphabetical order of the words that match.
 *
 * A search by several words reads the leads of its two longest words at the same time, at most a thousand of each. It
 * ends when all leads of one of the words are read. A search takes two round trips or more; a national number takes one
 * more. Strongly consistent: what was stored before is found.
 */
export async function searchLeads(
  ledger: Ledger,
  typed: string,
  query: Pick<PageQuery, 'page' | 'limit'>,
): Promise<FoundLeads> {
  const terms = await termsOf(ledger, typed);
  let hasMore = false;
  const page = await ledger.withReferenced(
    async () => {
      const found = await idsOf(ledger, terms);
      ({ hasMore } = found);
      return pageIn(found.ids, query);
    },
    leads,
    (id) => ledger.ref(leads, id).number,
  );
  // A write may have changed a lead meanwhile.
  const items = page.items.map(({ referenced }) => referenced).filter((lead) => isMatch(lead, terms));
  return { ...page, items, hasMore };
}

/** A term as typed, and what it stands for. */
type Term = SearchTerm & {
  /** Digits that the phone number may begin with. */
  beginnings: readonly string[];
};

interface Terms {
  all: readonly Term[];
  /** Beginning of an email address, if the search is one word without a space. */
  email: string | undefined;
}

async function termsOf(ledger: Ledger, typed: string): Promise<Terms> {
  const all = searchTerms(typed);
  let country: Promise<string> | undefined;
  const withBeginnings = all.map(async (term) => ({
    ...term,
    beginnings:
      term.kind === 'number' ? await beginningsOf(term.text, () => (country ??= ledger.country())) : [],
  }));
  const text = typed.trim();
  return { all: await Promise.all(withBeginnings), email: /\s/.test(text) ? undefined : foldCase(text) };
}

/** Ids of the leads that match, by what the values alone tell. */
async function idsOf(ledger: Ledger, terms: Terms): Promise<{ ids: string[]; hasMore: boolean }> {
  const { scans, isEither } = scansOf(terms);
  const words = terms.all.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []));
  const matching = ({ field, found }: Scan) =>
    found
      .filter(({ value }) => field !== 'word' || haveAll(value.split(' ').slice(0, -1), words))
      .map(({ id }) => id);
  for (let queries = 1; ; queries++) {
    await Promise.all(scans.filter(({ isWhole }) => !isWhole).map((scan) => readOn(ledger, scan)));
    const whole = scans.filter(({ isWhole }) => isWhole);
    const isComplete = isEither ? whole.length > 0 : whole.length === scans.length;
    const telling = isEither && whole[0] ? [whole[0]] : scans;
    const ids = [...new Set(telling.flatMap(matching))];
    if (isComplete || ids.length > maxFound || queries === maxQueries) {
      const first = ids.slice(0, maxFound);
      return {
        ids:
          words.length < terms.all.length && terms.all.length > 1
            ? await matchingOf(ledger, first, terms)
            : first,
        hasMore: !isComplete || ids.length > maxFound,
      };
    }
  }
}

/** The leads that match by all terms. The values of an email or a number do not tell it. */
async function matchingOf(ledger: Ledger, ids: readonly string[], terms: Terms): Promise<string[]> {
  const numbers = ids.map((id) => ledger.ref(leads, id).number);
  const found = await ledger.getMany(leads, numbers);
  return ids.filter((_, at) => {
    const lead = found.get(numbers[at] ?? 0);
    return lead && isMatch(lead, terms);
  });
}

/** Scans to read: all of them, or with `isEither` until one of them is whole. */
function scansOf({ all, email }: Terms): { scans: Scan[]; isEither: boolean } {
  const scanOf = (field: Scan['field'], beginning: string): Scan => ({
    field,
    beginning,
    ...((field === 'word' || field === 'phoneEnd') && { isSearched: true }),
    found: [],
    isWhole: false,
  });
  const address = all.find(({ kind }) => kind === 'email');
  if (address) return { scans: [scanOf('email', address.text)], isEither: false };
  const number = all.find(({ kind }) => kind === 'number');
  if (number) {
    const digits = number.text.replace('+', '');
    const byPhone = number.beginnings.map((beginning) => scanOf('phone', `+${beginning}`));
    return {
      scans: [...byPhone, scanOf('phoneEnd', fromEnd(digits)), scanOf('word', digits)],
      isEither: false,
    };
  }
  const longestFirst = [...new Set(all.map(({ text }) => text))].sort(
    (one, other) => other.length - one.length,
  );
  const byWord = longestFirst.slice(0, 2).map((word) => scanOf('word', word));
  return email === undefined
    ? { scans: byWord, isEither: true }
    : { scans: [...byWord.slice(0, 1), scanOf('email', email)], isEither: false };
}

/** Reads the next values of a scan. */
async function readOn(ledger: Ledger, scan: Scan): Promise<void> {
  const { field, beginning, isSearched, found } = scan;
  const more = await ledger.valuesBeginning(
    leads,
    { field, value: beginning, ...(isSearched && { isSearched }) },
    { limit: perQuery, after: found.at(-1)?.value },
  );
  found.push(...more);
  scan.isWhole = more.length < perQuery;
}

/** True if each beginning is the beginning of one of the words. */
const haveAll = (words: readonly string[], beginnings: readonly string[]): boolean =>
  beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)));

/** True if a lead matches every term. */
function isMatch(lead: LeadRecord, { all, email }: Terms): boolean {
  const words = [lead.firstName, lead.lastName, lead.businessName].flatMap(foldedWords);
  const address = foldCase(lead.email);
  const digits = lead.phone.replace('+', '');
  if (email !== undefined && address.startsWith(email)) return true;
  return all.every(({ kind, text, beginnings }) => {
    if (kind === 'email') return address.startsWith(foldCase(text));
    const plain = text.replace('+', '');
    const isBeginning = haveAll(words, [plain]);
    if (kind === 'word') return isBeginning;
    return isBeginning || beginnings.some((one) => digits.startsWith(one)) || digits.endsWith(plain);
  });
}
