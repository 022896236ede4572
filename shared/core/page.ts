export const orders = ['newest', 'oldest'] as const;
/** The members that a list begins with. */
export type Order = (typeof orders)[number];

/** The part of a list to read: a page, or a step of a walk. */
export interface PageQuery {
  /** Counts from 1, which is also the default. */
  page?: number | undefined;
  /** Number of records on a page. */
  limit: number;
  order?: Order | undefined;
  /** Cursor of a walk: the `nextAfter` of the answer before. */
  after?: string | undefined;
}

/** One part of a list, and the length of the whole list. */
export interface Page<R> {
  items: R[];
  totalCount: number;
  /** Number of records before this part, in the order of the query. */
  offset?: number | undefined;
  /** Cursor of the records after this part; null at the end. A search has none. */
  nextAfter?: string | null | undefined;
}

/** A page of what a search has found. */
export const pageIn = <R>(
  found: readonly R[],
  { page = 1, limit }: Pick<PageQuery, 'page' | 'limit'>,
): Page<R> => ({
  items: found.slice((page - 1) * limit, page * limit),
  totalCount: found.length,
});
