import { setTimeout } from 'node:timers/promises';

/** Milliseconds after which a test, or a wait of a test, hangs: it takes less, however slow the machine is. */
export const patience = 600_000;

/**
 * Asks until there is an answer.
 *
 * @throws Error `failure` if there is none within `patience`
 */
export async function eventually<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  failure: () => string,
): Promise<T> {
  const until = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() >= until) throw new Error(failure());
    await setTimeout(100);
  }
}
