import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import {
  bucketSize,
  emptyNumbering,
  liveCount,
  pageNumbers,
  positionOf,
  windowSize,
  withDeleted,
  withNext,
  type KnownHoles,
  type Numbering,
} from '../../../shared/ledger/internal/numbering.ts';

/** A plain array that does what a numbering must do. */
class Model {
  numbering: Numbering = emptyNumbering;
  live: number[] = [];
  readonly offsets = new Map<number, Set<number>>();

  append(): void {
    this.numbering = withNext(this.numbering);
    this.live.unshift(this.numbering.last);
  }

  remove(number: number): void {
    this.numbering = withDeleted(this.numbering, number);
    this.live = this.live.filter((other) => other !== number);
    const { bucket, offset } = positionOf(number);
    this.offsets.set(bucket, (this.offsets.get(bucket) ?? new Set()).add(offset));
  }

  numberAtRank(rank: number): number | undefined {
    return this.page(rank, 1)[0];
  }

  /** The numbers of a page, given all holes. */
  page(rank: number, limit: number): number[] {
    const { known, length, unknownBucket } = pageNumbers(this.numbering, { rank, limit }, this.offsets);
    expect(unknownBucket).toBeUndefined();
    expect(known).toHaveLength(length);
    return known;
  }
}

const none: KnownHoles = new Map();

test('the number at every rank is that of a plain array, after any history of creates and deletes', () => {
  const { random } = seededRandom(7);
  const model = new Model();
  for (let round = 0; round < 12; round++) {
    for (let more = Math.floor(random() * 1500); more > 0; more--) model.append();
    const share = random();
    for (const number of [...model.live]) if (random() < share * share) model.remove(number);
    expect(liveCount(model.numbering)).toBe(model.live.length);
    const ranks = [
      0,
      1,
      model.live.length - 1,
      ...Array.from({ length: 50 }, () => Math.floor(random() * model.live.length)),
    ];
    for (const rank of ranks.filter((each) => each >= 0)) {
      expect(model.numberAtRank(rank), `rank ${rank} of round ${round}`).toBe(model.live[rank]);
      const limit = 1 + Math.floor(random() * 100);
      expect(model.page(rank, limit)).toEqual(model.live.slice(rank, rank + limit));
    }
    expect(model.numberAtRank(model.live.length)).toBeUndefined();
  }
  expect(model.numbering.last).toBeGreaterThan(bucketSize);
});

test('an empty, a full and a wholly deleted bucket are told apart', () => {
  const model = new Model();
  expect(model.numberAtRank(0)).toBeUndefined();
  for (let number = 1; number <= bucketSize; number++) model.append();
  expect(model.numberAtRank(bucketSize - 1)).toBe(1);
  model.append();
  expect(model.numberAtRank(0)).toBe(bucketSize + 1);
  expect(model.numberAtRank(1)).toBe(bucketSize);
  for (let number = 1; number <= bucketSize; number++) model.remove(number);
  expect(model.numberAtRank(0)).toBe(bucketSize + 1);
  expect(model.numberAtRank(1)).toBeUndefined();
  model.remove(bucketSize + 1);
  expect(liveCount(model.numbering)).toBe(0);
  expect(model.numberAtRank(0)).toBeUndefined();
});

describe('without any bucket', () => {
  test('what is known of a page is right, and the first one is known while few of the newest are holes', () => {
    const { random } = seededRandom(3);
    const model = new Model();
    for (let step = 0; step < 6000; step++) {
      if (random() < 0.8 || model.live.length === 0) model.append();
      // Most of those that leave are among the newest.
      else model.remove(model.live[Math.floor(random() ** 4 * model.live.length)]!);
      if (step % 20 !== 0) continue;
      const ranks = { rank: random() < 0.5 ? 0 : Math.floor(random() * model.live.length), limit: 50 };
      const { known, length, unknownBucket } = pageNumbers(model.numbering, ranks, none);
      const page = model.live.slice(ranks.rank, ranks.rank + ranks.limit);
      expect(length).toBe(page.length);
      expect(known).toEqual(page.slice(0, known.length));
      if (ranks.rank === 0) expect(unknownBucket).toBeUndefined();
    }
  });

  test('a page below the window stops at the bucket whose holes it needs', () => {
    const model = new Model();
    for (let number = 1; number <= 3 * windowSize; number++) model.append();
    model.remove(1);
    expect(pageNumbers(model.numbering, { rank: 0, limit: 100 }, none)).toMatchObject({ length: 100 });
    const deep = { rank: windowSize - 10, limit: 50 };
    const { known, unknownBucket } = pageNumbers(model.numbering, deep, none);
    expect(known).toHaveLength(10);
    expect(unknownBucket).toBe(0);
    // Where all holes of the bucket are in the window, the rest is dense.
    const other = new Model();
    for (let number = 1; number <= 3 * windowSize; number++) other.append();
    other.remove(3 * windowSize - 5);
    expect(pageNumbers(other.numbering, deep, none).known).toEqual(other.live.slice(118, 168));
  });

  test('a head whose counts are wrong makes no endless page', () => {
    const { known, length } = pageNumbers(
      { last: 10, deleted: [-5] },
      { rank: 0, limit: 50 },
      new Map([[0, new Set()]]),
    );
    expect(length).toBe(15);
    expect(known).toHaveLength(10);
  });
});

test('stored data depends on the size of a bucket and of the window, so neither may change', () => {
  expect({ bucketSize, windowSize }).toEqual({ bucketSize: 4096, windowSize: 128 });
  expect(positionOf(4096)).toEqual({ bucket: 0, offset: 4095 });
  expect(positionOf(4097)).toEqual({ bucket: 1, offset: 0 });
  let numbering = emptyNumbering;
  for (let number = 1; number <= 130; number++) numbering = withNext(numbering);
  numbering = withDeleted(withDeleted(withDeleted(numbering, 130), 126), 3);
  expect(numbering).toEqual({ last: 130, deleted: [3], newest: '80000000000000000000000000000011' });
  expect(withNext(numbering)).toEqual({ last: 131, deleted: [3], newest: '22' });
});
