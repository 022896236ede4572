/**
 * Waits for all promises. If several fail, throws the error of the promise that is first in the list, not first in
 * time. So the same mistakes always get the same answer.
 */
export async function allInOrder<T extends readonly unknown[]>(
  all: readonly [...T],
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
