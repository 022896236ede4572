import * as v from 'valibot';
import { count, flagInQuery, numberInPath, wholeNumber, wholeNumberIn } from './fields.ts';
import { orders, type Page } from '../core/page.ts';
import { extension, type Descriptions } from './descriptions.ts';

const limit = wholeNumber({ min: 1, max: 100, preset: 50 });

export const ListOrder = v.picklist(orders);

/** Query of every list that has pages: docs/guides/pages.md. The ledger refuses a `page` with a cursor. */
export const PageQuery = v.object({
  page: v.pipe(
    v.optional(wholeNumberIn({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    v.metadata({ default: 1 }),
  ),
  limit,
  order: v.optional(v.pipe(ListOrder, v.metadata(extension))),
  after: v.optional(v.pipe(v.string(), v.metadata(extension))),
});
export type PageQuery = v.InferOutput<typeof PageQuery>;

/** Query of a list that has pages, but no walk. */
export const OnlyPageQuery = v.omit(PageQuery, ['order', 'after']);

/** Query of a list of records that can be in use or not in use. */
export const ActivePageQuery = v.object({
  ...PageQuery.entries,
  isActive: v.optional(v.pipe(flagInQuery, v.metadata(extension))),
});
export type ActivePageQuery = v.InferOutput<typeof ActivePageQuery>;

/** Query of a list of records that have categories, and that can be in use or not in use. */
export const CatalogPageQuery = v.object({
  ...ActivePageQuery.entries,
  tradeCategoryId: v.optional(numberInPath),
});
export type CatalogPageQuery = v.InferOutput<typeof CatalogPageQuery>;

export const descriptions = {
  ListOrder: { is: 'Which records of a list come first' },
  PageQuery: {
    is: 'Which part of a list to read',
    fields: {
      page: 'The page to read, counted from 1',
      limit: 'How many records a page has',
      order: 'Whether the newest or the oldest records come first',
      after:
        'A `nextAfter`: the answer has the next records of the same list. A walk by `nextAfter` shows each record that stays in ' +
        'the list exactly once, whatever changes meanwhile. Pages shift',
    },
  },
  OnlyPageQuery: { is: 'Which part of a list to read', like: 'PageQuery' },
  ActivePageQuery: {
    is: 'Which part of a list to read',
    like: 'PageQuery',
    fields: {
      isActive: 'Only records in use (`true`), or only records not in use (`false`); all when not given',
    },
  },
  CatalogPageQuery: {
    is: 'Which part of a list to read',
    like: 'ActivePageQuery',
    fields: { tradeCategoryId: 'Only records of this category; none if the category is unknown' },
  },
} satisfies Descriptions;

/** Schema of a list response: an array under `key`, and the page's position in the list. */
export const pageSchema = <const Key extends string, Item extends v.GenericSchema>(key: Key, item: Item) =>
  v.strictObject({
    ...entry(key, v.array(item)),
    totalPages: count,
    currentPage: v.pipe(count, v.minValue(1)),
    totalCount: count,
    nextAfter: v.exactOptional(v.pipe(v.nullable(v.string()), v.metadata(extension))),
  });

/** Builds the body of a list response. The current page of a walk is the page that its first record stands on. */
export function pageOf<const Key extends string, Item>(
  key: Key,
  { items, totalCount, offset = 0, nextAfter }: Page<Item>,
  { page, limit }: Pick<PageQuery, 'page' | 'limit'>,
) {
  return {
    ...entry(key, items),
    totalPages: Math.ceil(totalCount / limit),
    currentPage: page ?? Math.floor(offset / limit) + 1,
    totalCount,
    ...(nextAfter !== undefined && { nextAfter }),
  };
}

/** Example of a list: its first page, with one item. */
export const pageExample = <const Key extends string, Item>(key: Key, item: Item) => ({
  query: { page: '1', limit: '50' },
  response: pageOf(key, { items: [item], totalCount: 1, nextAfter: null }, { page: 1, limit: 50 }),
});

/** Builds `{ [key]: value }` and keeps the key's literal type. The compiler widens a computed name to `string`. */
function entry<Key extends string, Value>(key: Key, value: Value): Record<Key, Value> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the object has this one key
  return { [key]: value } as Record<Key, Value>;
}
