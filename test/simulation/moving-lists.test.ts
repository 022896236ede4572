import { randomInt } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { everyFault } from './behaviour.ts';
import { breakLists, movingBreakages } from './moving-lists/breakages.ts';
import { runMovingLists, type MovingLists } from './moving-lists/run-moving-lists.ts';

const late = { lateApplyChance: 0.05, lateIndexChance: 0.03 };
const faults = everyFault(0.01);
const usual = { clients: 8, requests: 1000, behaviour: late };

/** Describes the violation; undefined if there was none. */
async function wrongIn(options: Partial<MovingLists> & { seed: number }): Promise<string | undefined> {
  const { violation, reads, writes, givenUp } = await runMovingLists({ ...usual, ...options });
  if (violation) {
    const { message, expected, observed } = violation;
    return `${message}. Seed ${options.seed}: ${inspect({ expected, observed }, { depth: 8 })}`;
  }
  expect(writes).toBeGreaterThan(200);
  expect(reads).toBeGreaterThan(200);
  expect(givenUp).toBeLessThan(10);
  return undefined;
}

describe('records that move among lists, with many concurrent writers and readers', () => {
  test.each<[what: string, options: Partial<MovingLists>]>([
    ['functions that die, and a network that fails', { deaths: 0.03, behaviour: { ...late, faults } }],
    [
      'lists about to get a second or a third bucket, with many clients and copies that are far behind',
      {
        after: [4096, 8192],
        clients: 25,
        behaviour: { ...late, staleReadChance: 0.5, staleness: [0, 200] },
      },
    ],
  ])('%s', async (_, options) => {
    expect(await wrongIn({ seed: randomInt(2 ** 31), ...options })).toBeUndefined();
  });

  // A page is checked against two buckets of holes. Beyond them, only their number is checked.
  test.fails('a page that spans more than two buckets', async () => {
    expect(
      await wrongIn({ seed: 303, after: [20_480], oneStayedIn: 400, readsLongPages: true }),
    ).toBeUndefined();
  });
});

describe('every breakage is reported', () => {
  test.each(movingBreakages)('%s', async (breakage) => {
    const options = { ...usual, behaviour: { ...late, lateApplyChance: 0.2 }, requests: 6000 };
    const { violation } = await runMovingLists({ seed: 2, ...options, alter: breakLists(breakage) });
    expect(violation?.message).toMatch(
      /^A commit must store what the model says|at one version$|^An error response must be right/,
    );
  });
});
