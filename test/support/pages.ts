/** Values of `page` and `limit` that every list refuses, each with the message. */
export const refusedPages: [name: string, value: string, message: string][] = [
  ['page', '0', 'must be at least 1'],
  ['page', '-1', 'must be at least 1'],
  ['page', '1.5', 'must be a whole number'],
  ['page', 'two', 'must be a whole number'],
  ['page', '', 'must be a whole number'],
  ['page', '9007199254740992', 'must be at most 9007199254740991'],
  ['page', '1e3', 'must be a whole number'],
  ['limit', '0', 'must be at least 1'],
  ['limit', '101', 'must be at most 100'],
  ['limit', '50.0', 'must be a whole number'],
];

/** Answer of a list whose items, in order, are `all`. */
export const pageOfAll = (
  key: string,
  all: readonly unknown[],
  { page = 1, limit = 50 }: { page?: number; limit?: number } = {},
) => ({
  [key]: all.slice((page - 1) * limit, page * limit),
  totalPages: Math.ceil(all.length / limit),
  currentPage: page,
  totalCount: all.length,
});

/** Queries of every page of `all`, and of the page after the last. */
export const everyPage = (all: readonly unknown[], limit: number) =>
  Array.from({ length: Math.ceil(all.length / limit) + 1 }, (_, at) => ({ page: at + 1, limit }));
