import { expect } from 'vitest';

// The type of Vitest's matchers is `any`.
const anyText: unknown = expect.any(String);

/** Answer of a list to a query. The items of the list are `all`, in this order. */
export function pageOfAll(
  key: string,
  all: readonly unknown[],
  query: Readonly<Record<string, string | number>> = {},
) {
  const [page, limit] = [Number(query['page'] ?? 1), Number(query['limit'] ?? 50)];
  return {
    [key]: all.slice((page - 1) * limit, page * limit),
    totalPages: Math.ceil(all.length / limit),
    currentPage: page,
    totalCount: all.length,
    nextAfter: page * limit < all.length ? anyText : null,
  };
}

/** Queries of every page of `all`, and of the page after the last. */
export const everyPage = (all: readonly unknown[], limit: number) =>
  Array.from({ length: Math.ceil(all.length / limit) + 1 }, (_, at) => ({ page: at + 1, limit }));
