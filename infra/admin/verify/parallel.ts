/**
 * Runs `work` on each element, at most `atOnce` at a time. Gives the results in the order of the elements.
 */
export async function inParallel<T, R>(
  atOnce: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // One iterator for all workers: each takes the next element.
  const entries = all.entries();
  const worker = async () => {
    for (const [at, one] of entries) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return results;
}
