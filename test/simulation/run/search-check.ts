import { isBefore, searchTextsOf } from './model/search-text.ts';
import type { Window } from './model/window.ts';
import { same, type Fields } from './same.ts';
import { Violation } from './violation.ts';

/** Maximum number of matches of a search. */
const maxFound = 100;

/** A search of a collection by the start of a text. */
export interface Search {
  collection: string;
  /** Start of a text in its search form. */
  prefix: string;
  query: { page: number; limit: number };
  /** A record as the search may show it, from its stored fields. */
  shown: (fields: Fields) => Fields;
}

/** Texts that match a record in the window of a search. */
interface Match {
  /** Texts that matched at some time, sorted. */
  texts: string[];
  /**
   * First text that matched all the time, by which the record must be found; undefined if it may be missing.
   */
  sure: string | undefined;
}

/**
 * Possible matches of each record, by number. Each index lags behind the table by a different time for each
 * record.
 */
function matchesIn(window: Window, { collection, prefix }: Search): Map<number, Match> {
  const { organization } = window;
  const matches = new Map<number, Match>();
  const last = organization.lastOf(collection);
  for (let number = 1; number <= last; number++) {
    const values = window
      .records(collection, number, { fromIndex: true })
      .map((fields) => (fields ? searchTextsOf(organization, collection, fields) : []));
    const texts = [...new Set(values.flat())].filter((text) => text.startsWith(prefix)).sort(byText);
    if (texts.length === 0) continue;
    const [newest = [], ...older] = values;
    const lasting = newest.filter((text, at) => older.every((value) => value[at] === text));
    const sure = texts.find((text) => lasting.includes(text));
    matches.set(number, { texts: texts.filter((text) => sure === undefined || !isBefore(sure, text)), sure });
  }
  return matches;
}

const byText = (one: string, other: string) => (isBefore(one, other) ? -1 : isBefore(other, one) ? 1 : 0);

/** Position of a match in the response. */
interface Position {
  text: string;
  number: number;
}

const comesBefore = (one: Position, other: Position) =>
  isBefore(one.text, other.text) || (one.text === other.text && one.number < other.number);

/**
 * Checks a page of a search: each record matched at some time in the window, is listed once and in order, and
 * no record is missing that matched all the time. @throws Violation
 */
export function checkSearch(body: unknown, window: Window, search: Search, key: string): void {
  const { page, limit } = search.query;
  const { [key]: found, totalCount, totalPages, currentPage } = body as Fields;
  const items = found as Fields[];
  const total = Number(totalCount);
  const matches = matchesIn(window, search);
  const sure = [...matches].flatMap(([number, { sure: text }]) =>
    text === undefined ? [] : { number, text },
  );
  const [least, most] = [sure.length, matches.size].map((count) => Math.min(count, maxFound)) as [
    number,
    number,
  ];
  const length = Math.min(limit, Math.max(0, total - (page - 1) * limit));
  const isCounted = total >= least && total <= most && items.length === length;
  if (!isCounted || totalPages !== Math.ceil(total / limit) || currentPage !== page) {
    throw new Violation(
      'A search must count its matches, up to 100',
      { least, most, length },
      { totalCount, totalPages, currentPage, length: items.length },
    );
  }
  const positions = positionsOf(items, matches, window, search);
  const isFixed = ({ number, text }: Position) =>
    matches.get(number)?.texts.length === 1 && matches.get(number)?.sure === text;
  const fixed = positions.filter(isFixed);
  const [first, last] = [fixed[0], fixed.at(-1)];
  const isLastPage = page * limit >= total && total < maxFound;
  const missing = sure.filter(
    (one) =>
      isFixed(one) &&
      !positions.some(({ number }) => number === one.number) &&
      (page === 1 || (first !== undefined && comesBefore(first, one))) &&
      (isLastPage || (last !== undefined && comesBefore(one, last))),
  );
  if (missing.length > 0) {
    throw new Violation(
      'A search must find every record that matched all the time',
      missing.slice(0, 5),
      positions,
    );
  }
}

/**
 * Position of each record of the response: the first possible one after the previous record's. @throws
 * Violation
 */
function positionsOf(
  items: readonly Fields[],
  matches: ReadonlyMap<number, Match>,
  window: Window,
  { collection, prefix, shown }: Search,
): Position[] {
  const { organization } = window;
  const positions: Position[] = [];
  for (const item of items) {
    const number = organization.numberOf(collection, item['id']);
    const values = window
      .present(collection, number, { fromIndex: true })
      .filter((fields) =>
        searchTextsOf(organization, collection, fields).some((text) => text.startsWith(prefix)),
      )
      .map(shown);
    if (!values.some((value) => same(value, item))) {
      throw new Violation('A found record must have a matching value of the window', values, item);
    }
    const before = positions.at(-1);
    const text = matches
      .get(number)
      ?.texts.find((one) => before === undefined || comesBefore(before, { text: one, number }));
    if (text === undefined || positions.some((one) => one.number === number)) {
      throw new Violation(
        'Matches must be in alphabetical order, each record once',
        { after: before, texts: matches.get(number)?.texts },
        items.map(({ id }) => id),
      );
    }
    positions.push({ text, number });
  }
  return positions;
}
