import type { ListState, MemberList } from './model/lists.ts';
import type { Window } from './model/window.ts';
import type { Plan } from './plan.ts';
import { asQuery, somePage, type Planner } from './planner.ts';
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
  /** The member of the response for a member of the list, if the list has other records that name it. */
  named?: (number: number, window: Window) => number;
  /** True if the members come from an index, which may show older values. */
  fromIndex: boolean;
  /** True if the oldest members may come first. */
  hasAnyOrder?: true;
  /** A member as the list may show it, from its stored fields. */
  shown?: (fields: Fields) => Fields;
  /** True if an item of the response is such a member, instead of `shown`. */
  shows?: (fields: Fields, item: Fields) => boolean;
  /** Part of an item to compare with `shown`, after the rest was checked. @throws Violation */
  compared?: (item: Fields, window: Window, may: (scope: string) => boolean) => Fields;
}

/**
 * Checks that a page shows the list at one version. Each record must have a value of the window, and not only
 * a later one. @throws Violation
 */
export function checkPage(
  body: unknown,
  window: Window,
  rule: PageRule,
  may: (scope: string) => boolean = () => true,
): void {
  const { key, query, collection, fromIndex, shown = (fields: Fields) => fields, compared } = rule;
  const { [key]: found, totalCount, totalPages, currentPage } = body as Fields;
  const items = found as Fields[];
  const numbers = items.map(({ id }) => window.organization.numberOf(collection, id));
  const states = rule.states(window);
  const isState = ({ version, count }: ListState) =>
    count === totalCount &&
    (same(pageAt(rule, version, window), numbers) ||
      (rule.hasAnyOrder && same(pageFromEnd(rule, version), numbers)));
  const ends = states.filter(isState).map((state) => state.end);
  if (ends.length === 0) {
    const expected = states.slice(0, 12).map(({ version, count }) => ({
      version,
      totalCount: count,
      numbers: pageAt(rule, version, window),
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
    const states = window
      .spans(collection, numbers[at]!, { fromIndex })
      .filter(({ from }) => from < end)
      .map(({ fields }) => fields);
    if (rule.shows && states.some((fields) => rule.shows?.(fields, item))) continue;
    const values = states.map(shown);
    const observed = compared ? compared(item, window, may) : item;
    checkOneOf(`A record on a page of ${key} must have a value of the page's window`, values, observed);
  }
}

/** Numbers of the members on the page at a version. */
const pageAt = (
  { list, query, named = (number) => number }: PageRule,
  version: number,
  window: Window,
): number[] => list.pageAt(version, query).map((number) => named(number, window));

/** The same if the oldest members come first. */
const pageFromEnd = ({ list, query: { page, limit } }: PageRule, version: number): number[] =>
  list
    .pageAt(version, { page: 1, limit: Infinity })
    .reverse()
    .slice((page - 1) * limit, page * limit);

/** A request for a page of a list. */
interface Listing extends Omit<PageRule, 'query'> {
  /** Name in the figures. */
  operation: string;
  endpoint?: string;
  params?: Record<string, string>;
  /** Query parameters beside those of the page. */
  filter?: Record<string, string>;
  refusals?: NonNullable<Plan['refusals']>;
}

/** Reads a page of a list. */
export function listing(planner: Planner, { operation, endpoint, params, filter, ...one }: Listing): Plan {
  const { refusals, ...rule } = one;
  const query = somePage(planner, rule.list.count);
  return {
    operation,
    organization: planner.organization,
    call: {
      endpoint: endpoint ?? operation,
      ...(params && { params }),
      query: { ...asQuery(query), ...filter },
    },
    check: (body, window, { may }) => {
      checkPage(body, window, { ...rule, query }, may);
    },
    ...(refusals && { refusals }),
  };
}

/** Reads a page of a whole collection. Its records are as stored, or as `shown` changes them. */
export function listOf(
  planner: Planner,
  operation: string,
  of: Pick<PageRule, 'collection' | 'key' | 'shown'>,
): Plan {
  const list = planner.organization.collection(of.collection);
  const states = (window: Window) => window.statesByHead(list);
  return listing(planner, { operation, list, states, fromIndex: false, ...of });
}
