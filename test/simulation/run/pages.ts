import type { ListState, MemberList } from './model/lists.ts';
import type { Window } from './model/window.ts';
import type { Plan } from './plan.ts';
import { asQuery, someNumber, somePage, type Planner } from './planner.ts';
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
  /** True if the oldest members come first. */
  isAscending?: true;
  /** A member as the list may show it, from its stored fields. */
  shown?: (fields: Fields) => Fields;
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
    count === totalCount && same(pageAt(rule, version, window), numbers);
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
    const values = window
      .spans(collection, numbers[at]!, { fromIndex })
      .filter(({ from }) => from < end)
      .map(({ fields }) => shown(fields));
    const observed = compared ? compared(item, window, may) : item;
    checkOneOf(`A record on a page of ${key} must have a value of the page's window`, values, observed);
  }
}

/** Numbers of the members on the page at a version. */
function pageAt(
  { list, query, isAscending, named = (number) => number }: PageRule,
  version: number,
  window: Window,
): number[] {
  const { page, limit } = query;
  const numbers = isAscending
    ? list
        .pageAt(version, { page: 1, limit: Infinity })
        .reverse()
        .slice((page - 1) * limit, page * limit)
    : list.pageAt(version, query);
  return numbers.map((number) => named(number, window));
}

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

/** Reads a page of all records, or of those of a category, with one state, or both. */
export function listInCategory(
  planner: Planner,
  operation: string,
  of: Pick<PageRule, 'collection' | 'key' | 'shown' | 'compared'>,
): Plan {
  const { draw, organization } = planner;
  if (draw.happens(0.3)) return listOf(planner, operation, of);
  if (draw.happens(0.3)) return listByState(planner, operation, { ...of, flag: 'isActive' });
  const category = someNumber(planner, 'CATEGORY');
  const isInUse = draw.pick([undefined, true, false]);
  const owner = ['CATEGORY', category] as const;
  const partition =
    isInUse === undefined
      ? organization.partitionOf('gsi2', of.collection, { owner })
      : organization.partitionOf('gsi3', of.collection, { owner, name: isInUse ? 'active' : 'inactive' });
  const list = organization.list(partition);
  return listing(planner, {
    ...{ operation: `${operation} tradeCategoryId`, endpoint: operation },
    filter: {
      tradeCategoryId: String(category),
      ...(isInUse !== undefined && { isActive: String(isInUse) }),
    },
    ...{ list, states: (window) => window.statesOwned(list, owner), fromIndex: true, ...of },
  });
}

/** Reads a page of the records that are in use, or of the others. `flag` is the field that says so. */
export function listByState(
  planner: Planner,
  operation: string,
  { flag, ...of }: Pick<PageRule, 'collection' | 'key' | 'shown'> & { flag: string },
): Plan {
  const { draw, organization } = planner;
  const isInUse = draw.happens(0.5);
  const name = isInUse ? 'active' : 'inactive';
  const list = organization.list(organization.partitionOf('gsi1', of.collection, { name }));
  return listing(planner, {
    ...{ operation: `${operation} ${flag}`, endpoint: operation, filter: { [flag]: String(isInUse) } },
    ...{ list, states: (window) => window.statesByOwner(list), fromIndex: true, ...of },
  });
}
