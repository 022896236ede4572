import type { ListState, MemberList } from './model/member-list.ts';
import type { Window } from './model/window.ts';
import { same, type Fields } from './same.ts';
import { Violation } from './violation.ts';

/** Expected contents of a page of a list. */
export interface PageRule {
  list: MemberList;
  states: ListState[];
  /** Collection of the members. */
  collection: string;
  /** Name of the array in the response. */
  key: string;
  query: { page: number; limit: number };
  /** True if the members come from an index, which may show older values. */
  fromIndex: boolean;
  /** Number of a member, from its public id. */
  numberOf: (id: unknown) => number;
  /** A member as the list may show it, from its stored fields. */
  shown: (fields: Fields) => Fields;
  /** Part of an item to compare with `shown`, after the rest was checked. @throws Violation */
  compared?: (item: Fields) => Fields;
}

/**
 * Checks that a page shows the list at one version. Each record must have a value of the window, and not only
 * a later one. @throws Violation
 */
export function checkPage(body: unknown, window: Window, rule: PageRule): void {
  const { list, states, key, query } = rule;
  const { [key]: found, totalCount, totalPages, currentPage } = body as Fields;
  const items = found as Fields[];
  const numbers = items.map(({ id }) => rule.numberOf(id));
  const isState = ({ version, count }: ListState) =>
    count === totalCount && same(list.pageAt(version, query), numbers);
  const ends = states.filter(isState).map((state) => state.end);
  if (ends.length === 0) {
    throw new Violation(`A page of ${key} must be the list at one version`, {
      expected: states.slice(0, 12).map(({ version, count }) => ({
        version,
        totalCount: count,
        numbers: list.pageAt(version, query),
      })),
      observed: { totalCount, numbers },
    });
  }
  const pages = Math.ceil(Number(totalCount) / query.limit);
  if (totalPages !== pages || currentPage !== query.page) {
    throw new Violation('The page fields must fit the total and the query', {
      expected: { totalPages: pages, currentPage: query.page },
      observed: { totalPages, currentPage },
    });
  }
  const end = Math.max(...ends);
  for (const [at, item] of items.entries()) checkMember(item, numbers[at]!, { window, rule, end });
}

/** `end` is the version before which the page was current. */
function checkMember(
  item: Fields,
  number: number,
  { window, rule, end }: { window: Window; rule: PageRule; end: number },
): void {
  const { collection, fromIndex, shown, compared } = rule;
  const values = window
    .spans(collection, number, { fromIndex })
    .filter(({ from }) => from < end)
    .map(({ fields }) => shown(fields));
  const observed = compared ? compared(item) : item;
  if (!values.some((value) => same(value, observed))) {
    throw new Violation(`A record on a page of ${rule.key} must have a value of the page's window`, {
      expected: values,
      observed,
    });
  }
}
