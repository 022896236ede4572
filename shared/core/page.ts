/** Which part of a list to read: a page, counted from 1, of so many records. */
export interface PageQuery {
  page: number;
  limit: number;
}

/** A part of a list, and how many records all of it has. */
export interface Page<R> {
  items: R[];
  totalCount: number;
}
