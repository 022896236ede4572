import * as v from 'valibot';
import { count, flagInQuery, numberInPath, wholeNumber } from './fields.ts';
import { extension, type Descriptions } from './descriptions.ts';

/** Query of every list that has pages: docs/reference.md, Pages. */
export const PageQuery = v.object({
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, preset: 1 }),
  limit: wholeNumber({ min: 1, max: 100, preset: 50 }),
});
export type PageQuery = v.InferOutput<typeof PageQuery>;

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
  PageQuery: {
    is: 'Which part of a list to read',
    fields: {
      page: 'The page to read, counted from 1',
      limit: 'How many records a page has',
    },
  },
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
  });

/** Builds the body of a list response. */
export function pageOf<const Key extends string, Item>(
  key: Key,
  { items, totalCount }: { items: Item[]; totalCount: number },
  { page, limit }: PageQuery,
) {
  return {
    ...entry(key, items),
    totalPages: Math.ceil(totalCount / limit),
    currentPage: page,
    totalCount,
  };
}

/** Example of a list: its first page, with one item. */
export const pageExample = <const Key extends string, Item>(key: Key, item: Item) => ({
  query: { page: '1', limit: '50' },
  response: pageOf(key, { items: [item], totalCount: 1 }, { page: 1, limit: 50 }),
});

/** Builds `{ [key]: value }` and keeps the key's literal type. The compiler widens a computed name to `string`. */
function entry<Key extends string, Value>(key: Key, value: Value): Record<Key, Value> {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the object has this one key
  return { [key]: value } as Record<Key, Value>;
}
