import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { largestNumber } from '../../../shared/core/ids.ts';
import { countsKey, holesKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize } from '../../../shared/ledger/internal/list-state.ts';
import {
  countBits,
  holeBits,
  increments,
  unpack,
  type Packing,
} from '../../../shared/ledger/internal/packed-numbers.ts';
import { itemSize } from '../../simulation/attribute-values.ts';

/** The largest value of an attribute: all of its 52 bits set. */
const fullWord = 2 ** 52 - 1;
const numbersBelow = (end: number) => Array.from({ length: end }, (_, at) => at);
const times = (count: number, value: number) => Array<number>(count).fill(value);

/** The attributes of an item after all these additions, as exact numbers. */
function sumOf(...additions: ReadonlyMap<string, number>[]): Record<string, number> {
  const sums = new Map<string, bigint>();
  for (const words of additions) {
    for (const [name, value] of words) sums.set(name, (sums.get(name) ?? 0n) + BigInt(value));
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, Number(sum)]));
}

const sizeOf = (item: object) => itemSize(marshall(item));

describe.each<[string, Packing, places: number, most: number]>([
  ['holes', holeBits, bucketSize, 1],
  ['counts', countBits, 245, bucketSize],
])('%s', (_, packing, places, most) => {
  test('are exact after increments in any order and in parts of any size', () => {
    const { random } = seededRandom(1);
    for (let round = 0; round < 20; round++) {
      const wanted = new Map<number, number>();
      for (const place of numbersBelow(places)) {
        if (random() < 0.4) wanted.set(place, Math.ceil(random() * Math.min(most, 40)));
      }
      const left = [...wanted].flatMap(([place, number]) => times(number, place));
      left.sort(() => random() - 0.5);
      const additions: Map<string, number>[] = [];
      while (left.length > 0) additions.push(increments(packing, left.splice(0, Math.ceil(random() * 9))));
      const item = { pk: 'P', sk: '000000000000', left: 1, ...sumOf(...additions) };
      expect(new Map([...unpack(packing, item)].sort(([a], [b]) => a - b))).toEqual(wanted);
    }
  });

  test('an increment of one number changes no other', () => {
    const almost = increments(
      packing,
      numbersBelow(places).flatMap((place) => times(most - 1, place)),
    );
    for (const place of numbersBelow(places)) {
      const numbers = unpack(packing, sumOf(almost, increments(packing, [place])));
      expect(numbers.get(place)).toBe(most);
      numbers.delete(place);
      expect([...numbers.values()].every((number) => number === most - 1)).toBe(true);
    }
  });

  test('no attribute exceeds the exact range of a double', () => {
    const all = numbersBelow(places).flatMap((place) => times(most, place));
    for (const value of increments(packing, all).values()) expect(value).toBeLessThanOrEqual(fullWord);
    expect(Number.isSafeInteger(fullWord)).toBe(true);
  });
});

test('stored data depends on the names of the attributes and the order of their bits, so neither may change', () => {
  expect(increments(holeBits, [0, 1, 51, 52, 4095])).toEqual(
    new Map([
      ['0', 2 ** 51 + 3],
      ['1', 1],
      ['26', 2 ** 39],
    ]),
  );
  expect(increments(countBits, [0, 3, 3, 4, 244])).toEqual(
    new Map([
      ['0', 2 ** 40 + 1],
      ['1', 1],
      ['1P', 1],
    ]),
  );
  // Names are upper-case, so that they differ from all other attributes of the item.
  for (const name of increments(holeBits, numbersBelow(bucketSize)).keys())
    expect(name).toMatch(/^[0-9A-Z]+$/);
});

test('an attribute that is no packed number is refused', () => {
  for (const value of ['1', -1, 0.5, 2 ** 53, NaN, null]) {
    expect(() => unpack(holeBits, { A: value })).toThrow('The attribute A is no packed number');
  }
  expect(unpack(holeBits, { pk: 'P', sk: 'S', left: 5, later: 'kept', A: 0 })).toEqual(new Map());
});

describe('as DynamoDB counts the size of items', () => {
  const bits = increments(holeBits, numbersBelow(bucketSize));
  /** The counts of so many buckets, all of them full. */
  const counts = (buckets: number) =>
    [...increments(countBits, numbersBelow(buckets))].map(([name, one]) => [name, one * bucketSize] as const);
  /** A list with the longest names that are plausible: an owner, and a name of 100 bytes. */
  const longest = `ORG#6H8EV880#ORGANIZATION#${largestNumber}#APPOINTMENT#${'n'.repeat(100)}`;

  test('a bucket that all 4096 have left is under 1 KB, in the list with the longest name', () => {
    const key = holesKey(longest, Math.floor((largestNumber - 1) / bucketSize));
    expect(sizeOf({ ...key, ...Object.fromEntries(bits) })).toBeLessThan(1024);
    expect(bits.size).toBe(79);
  });

  test.each([
    [1_000_000, 245, 1],
    [4_000_000, 977, 4],
    [10_000_000, 2442, 7],
  ])('the counts of %i ranks that all have left, in %i buckets, are under %i KB', (left, buckets, most) => {
    expect(buckets * bucketSize).toBeGreaterThan(left);
    expect(sizeOf({ ...countsKey(longest), left, ...Object.fromEntries(counts(buckets)) })).toBeLessThan(
      most * 1024,
    );
  });
});
