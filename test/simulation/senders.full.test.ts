import { expect, test } from 'vitest';
import { simulateSenders, type SenderLoad } from './senders.ts';

const second = 1000;
const never = { minutes: 1 };
const late = { answersAfter: 14 * second, minutes: 2 };
/** Lanes as if each webhook had a group of the queue. */
const lanes = Infinity;

test.each<[load: SenderLoad, least: number, most: number, atOnce: number]>([
  // As the stack is: an organization holds its lanes, and the others have the rest.
  [{ account: 10, ...never }, 0, 1.5, 2],
  [{ account: 100, ...never }, 0, 1.5, 3],
  [{ account: 100, ...late }, 0, 1.5, 3],
  // Without lanes, 20 slow receivers of one organization hold all ten senders: for up to four attempts of 15 s each, and the
  // calls of the table between them.
  [{ account: 100, lanes, ...never }, 30, 61, 10],
  [{ account: 100, lanes, ...late }, 60, 120, 10],
])(
  '%j: another organization waits for %f to %f s, and %i send at once',
  async (load, least, most, atOnce) => {
    const outcome = await simulateSenders(load);
    const longest = Math.max(...outcome.others) / second;
    expect(longest).toBeGreaterThanOrEqual(least);
    expect(longest).toBeLessThanOrEqual(most);
    expect(outcome.atOnce).toBe(atOnce);
  },
);

test('a receiver that is always late delays the other webhooks of its lane by two runs at a time', async () => {
  const { own } = await simulateSenders({ account: 100, slowReceivers: 1, ...late, minutes: 2 });
  expect(Math.max(...own)).toBeGreaterThan(14 * second);
  expect(Math.max(...own)).toBeLessThan(100 * second);
});
