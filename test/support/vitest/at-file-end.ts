const duties: (() => Promise<void>)[] = [];

/** Leaves a duty for the end of the current test file. The last one left is the first one done. */
export function atFileEnd(duty: () => Promise<void>): void {
  duties.unshift(duty);
}

/** Carries out the duties of the file that ends, all of them. @throws their errors */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  for (const duty of duties.splice(0)) await duty().catch((error: unknown) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}
