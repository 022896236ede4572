import type { ListState, MemberList } from './model/lists.ts';
import type { Window } from './model/window.ts';
import { asShown } from './records-at.ts';
import { same, type Fields } from './same.ts';
import { checkOneOf, Violation } from './violation.ts';

/** Expected contents of a page of a list. */
export interface PageRule {
  list: MemberList;
  /** States of the list that the page may show. */
  states: (window: Window) => ListState[];
  /** Collection of the members. */
  collection: string;
  /** Name of the array in the response. */
  key: string;
  query: { page: number; limit: number };
  /** True if the members come from an index, which may show older values. */
  fromIndex: boolean;
  /** True if the oldest members may come first. */
  hasAnyOrder?: true;
  /** True if an item of the response is this member; equality if undefined. */
  shows?: (fields: Fields, item: Fields) => boolean;
}

/**
 * Checks that a page shows the list at one version. Each record must have a value of the window, and not only
 * a later one. @throws Violation
 */
export function checkPage(body: unknown, window: Window, rule: PageRule): void {
  const { key, query, collection, fromIndex, shows = same } = rule;
  const { [key]: found, totalCount, totalPages, currentPage } = body as Fields;
  const items = found as Fields[];
  const numbers = items.map(({ id }) => window.organization.numberOf(collection, id));
  const states = rule.states(window);
  const isState = ({ version, count }: ListState) =>
    count === totalCount &&
    (same(pageAt(rule, version), numbers) || (rule.hasAnyOrder && same(pageFromEnd(rule, version), numbers)));
  const ends = states.filter(isState).map((state) => state.end);
  if (ends.length === 0) {
    const expected = states.slice(0, 12).map(({ version, count }) => ({
      version,
      totalCount: count,
      numbers: pageAt(rule, version),
    }));
    throw new Violation(`A page of ${key} must be the list at one version`, expected, {
      totalCount,
      numbers,
    });
  }
  const pages = { totalPages: Math.ceil(Number(totalCount) / query.limit), currentPage: query.page };
  checkOneOf('The page fields must fit the total and the query', [pages], { totalPages, currentPage });
  // Version before which the page was current.
  const end = Math.max(...ends);
  for (const [at, item] of items.entries()) {
    const values = window
      .spans(collection, numbers[at]!, { fromIndex })
      .filter(({ from }) => from < end)
      .map(({ fields }) => fields);
    if (!values.some((fields) => shows(asShown(collection, fields), item)))
      throw new Violation(
        `A record on a page of ${key} must have a value of the page's window`,
        values,
        item,
      );
  }
}

/** Numbers of the members on the page at a version. */
const pageAt = ({ list, query }: PageRule, version: number): number[] => list.pageAt(version, query);

/** The same if the oldest members come first. */
const pageFromEnd = ({ list, query: { page, limit } }: PageRule, version: number): number[] =>
  list
    .pageAt(version, { page: 1, limit: Infinity })
    .reverse()
    .slice((page - 1) * limit, page * limit);
