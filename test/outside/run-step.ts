/** Runs one step of a part, and prints the proved statement and the time that the step took. */
export async function runStep<T>(what: string, act: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await act();
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${what}. (${seconds.toFixed(0)} seconds)\n`);
  return result;
}
