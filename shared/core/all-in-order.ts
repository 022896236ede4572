/**
 * Waits for all, as `Promise.all` does, but throws the error of the first in the list that failed, not in time: the same mistakes
 * always get the same answer.
 */
export async function allInOrder<T extends readonly unknown[]>(
  all: readonly [...T],
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
