import { isBefore, searchTextsOf } from './model/search-text.ts';
import type { Window } from './model/window.ts';
import { same, type Fields } from './same.ts';
import { checkOneOf, Violation } from './violation.ts';

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

/** A text that a record is found by. */
interface Position {
  text: string;
  number: number;
}

const comesBefore = (one: Position, other: Position) =>
  isBefore(one.text, other.text) || (one.text === other.text && one.number < other.number);

/**
 * Checks a page of a search. Each record matched at some time in the window, and is listed once and in order. No record
 * is missing that matched all the time. Each index lags behind the table by a different time for each record. @throws
 * Violation
 */
export function checkSearch(body: unknown, window: Window, search: Search, key: string): void {
  const { collection, prefix, shown, query } = search;
  const { organization } = window;
  const { [key]: found, totalCount, ...page } = body as Fields;
  const items = found as Fields[];
  const total = Number(totalCount);
  const matching = (fields: Fields | undefined) =>
    fields ? searchTextsOf(organization, collection, fields).filter((text) => text.startsWith(prefix)) : [];
  const numbers = Array.from({ length: organization.lastOf(collection) }, (_, at) => at + 1);
  const states = numbers.map((number) =>
    window.records(collection, number, { fromIndex: true }).map(matching),
  );
  const most = states.filter((texts) => texts.some((some) => some.length > 0)).length;
  // A record that changed can be missed by each index at another time.
  const sure = numbers.filter((_, at) => states[at]!.length === 1 && states[at]![0]!.length > 0);
  const length = Math.min(query.limit, Math.max(0, total - (query.page - 1) * query.limit));
  if (total < Math.min(sure.length, maxFound) || total > Math.min(most, maxFound) || items.length !== length)
    throw new Violation(
      'A search must count its matches, up to 100',
      { sure: sure.length, most, length },
      body,
    );
  const pages = { totalPages: Math.ceil(total / query.limit), currentPage: query.page };
  checkOneOf('The page fields must fit the total and the query', [pages], page);
  let before: Position | undefined;
  for (const item of items) {
    const number = organization.numberOf(collection, item['id']);
    const values = window.present(collection, number, { fromIndex: true });
    if (!values.some((value) => matching(value).length > 0 && same(shown(value), item)))
      throw new Violation('A found record must have a matching value of the window', values, item);
    const places = values.flatMap(matching).map((text) => ({ text, number }));
    const next = places
      .filter((place) => before === undefined || comesBefore(before, place))
      .sort((one, other) => (comesBefore(one, other) ? -1 : 1));
    if (!next[0])
      throw new Violation('Matches must be in alphabetical order, each record once', before, places);
    [before] = next;
  }
  const ids = items.map(({ id }) => organization.numberOf(collection, id));
  const missing = sure.filter((number) => !ids.includes(number));
  if (new Set(ids).size < ids.length || (items.length === total && total < maxFound && missing.length > 0))
    throw new Violation('A search must find every record that matched all the time, once', missing, ids);
}
