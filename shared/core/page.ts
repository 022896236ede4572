/** The page of a list to read. `page` counts from 1; `limit` is the number of records on a page. */
export interface PageQuery {
  page: number;
  limit: number;
}

/** One page of a list, and the length of the whole list. */
export interface Page<R> {
  items: R[];
  totalCount: number;
}
