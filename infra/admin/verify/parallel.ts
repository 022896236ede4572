/** Does some work on each of them, so many at a time; what came of it, in their order. */
export async function inParallel<T, R>(
  atOnce: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // Shared, so that each takes the next one.
  const entries = all.entries();
  const worker = async () => {
    for (const [at, one] of entries) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return results;
}
