/** Which part of a list to read: page `page`, counted from 1, of `limit` records. */
export interface PageQuery {
  page: number;
  limit: number;
}

/** One page of a list, and the length of the whole list. */
export interface Page<R> {
  items: R[];
  totalCount: number;
}
