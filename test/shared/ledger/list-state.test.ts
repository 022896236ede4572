import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import {
  bucketSize,
  emptyList,
  formatState,
  hasCounts,
  lengthOf,
  likelyBucket,
  pageNumbers,
  parseState,
  bucketPositionOf,
  statePattern,
  windowSize,
  withLeft,
  withNext,
  type HolesRead,
  type ListState,
  type Slice,
} from '../../../shared/ledger/internal/list-state.ts';

/** A plain array that does what the state of a list and its notes of holes must do. */
class Model {
  state: ListState = emptyList;
  live: number[] = [];
  readonly offsets = new Map<number, Set<number>>();

  join(): void {
    this.state = withNext(this.state);
    this.live.unshift(this.state.last);
  }

  leave(...numbers: number[]): void {
    const leaving = new Set(numbers);
    for (const number of numbers) {
      this.state = withLeft(this.state, number);
      const { bucket, offset } = bucketPositionOf(number);
      this.offsets.set(bucket, (this.offsets.get(bucket) ?? new Set()).add(offset));
    }
    this.live = this.live.filter((other) => !leaving.has(other));
  }

  readonly countOf = (bucket: number) => this.offsets.get(bucket)?.size ?? 0;

  /** The numbers of a page, given all there is to know. */
  page(offset: number, limit: number): number[] {
    return this.slice({ offset, limit });
  }

  slice(slice: Slice): number[] {
    const holes = { counts: this.countOf, buckets: this.offsets };
    const { known, length, offset, needs } = pageNumbers(this.state, slice, holes);
    expect(needs).toBeUndefined();
    expect(known).toHaveLength(length);
    if (length > 0) expect(offset).toBe(this.live.indexOf(known[0]!));
    return known;
  }

  /** The numbers of a page, with only the data that the page asks for, and the list of that data. */
  pageByNeed(slice: Slice): { numbers: number[]; asked: (number | 'counts')[] } {
    const buckets = new Map<number, ReadonlySet<number>>();
    const asked: (number | 'counts')[] = [];
    for (;;) {
      const counts = asked.includes('counts') ? this.countOf : undefined;
      const { known, length, needs } = pageNumbers(this.state, slice, { counts, buckets });
      if (needs === undefined) {
        expect(known).toHaveLength(length);
        return { numbers: known, asked };
      }
      const want = needs === 'counts' ? needs : needs.bucket;
      // A second request for the same holes would never end.
      expect(asked).not.toContain(want);
      asked.push(want);
      if (want !== 'counts') buckets.set(want, this.offsets.get(want) ?? new Set());
    }
  }
}

const nothing: HolesRead = { buckets: new Map() };

/** A list for some rounds, with members that join and leave by chance; each round is looked at. */
function liveOn(seed: number, look: (model: Model, random: () => number, round: number) => void): Model {
  const { random } = seededRandom(seed);
  const model = new Model();
  for (let round = 0; round < 12; round++) {
    for (let more = Math.floor(random() * 1500); more > 0; more--) model.join();
    const share = random() ** 2;
    model.leave(...model.live.filter(() => random() < share));
    look(model, random, round);
  }
  return model;
}

describe('after any history of members that join and leave', () => {
  test('the number at every position is that of a plain array', () => {
    const { state: end } = liveOn(7, (model, random, round) => {
      const { state, live } = model;
      expect(lengthOf(state)).toBe(live.length);
      const slice = [
        0,
        1,
        live.length - 1,
        ...Array.from({ length: 50 }, () => Math.floor(random() * live.length)),
      ];
      for (const offset of slice.filter((each) => each >= 0)) {
        const limit = 1 + Math.floor(random() * 100);
        expect(model.page(offset, limit), `offset ${offset} of round ${round}`).toEqual(
          live.slice(offset, offset + limit),
        );
      }
      expect(model.page(live.length, 1)).toEqual([]);
      for (let tries = 0; tries < 50; tries++) {
        const limit = 1 + Math.floor(random() * 100);
        const number = Math.floor(random() * (state.last + 2));
        const offset = Math.floor(random() * live.length);
        const above = live.filter((other) => other > number);
        const at = `number ${number} of round ${round}`;
        expect(model.slice({ above: number, limit }), at).toEqual(above.slice(-limit));
        expect(model.slice({ below: number, limit }), at).toEqual(
          live.filter((other) => other < number).slice(0, limit),
        );
        expect(model.slice({ offset, limit, isFromOldest: true })).toEqual(
          live
            .toReversed()
            .slice(offset, offset + limit)
            .toReversed(),
        );
      }
    });
    expect(end.last).toBeGreaterThan(2 * bucketSize);
  });

  test('a page finds its numbers with the counts and the buckets that it asks for', () => {
    let most = 0;
    liveOn(8, (model, random) => {
      for (let count = 0; count < 60; count++) {
        const offset = Math.floor(random() ** 3 * model.live.length);
        const { numbers, asked } = model.pageByNeed({ offset, limit: 50 });
        expect(numbers).toEqual(model.live.slice(offset, offset + 50));
        expect(asked.slice(1)).not.toContain('counts');
        if (!hasCounts(model.state)) expect(asked).not.toContain('counts');
        const inPage = new Set(numbers.map((number) => bucketPositionOf(number).bucket));
        for (const bucket of asked) if (bucket !== 'counts') expect(inPage).toContain(bucket);
        most = Math.max(most, asked.length);
      }
    });
    expect(most).toBe(3);
  });

  test('a state is the same after it was formatted and parsed', () => {
    liveOn(9, ({ state }) => {
      expect(parseState(formatState(state))).toEqual(state);
    });
  });
});

test('an empty bucket, a full one and one of holes alone differ', () => {
  const model = new Model();
  expect(model.page(0, 1)).toEqual([]);
  for (let number = 1; number <= bucketSize; number++) model.join();
  expect(model.page(bucketSize - 1, 1)).toEqual([1]);
  model.join();
  expect(model.page(0, 2)).toEqual([bucketSize + 1, bucketSize]);
  model.leave(...Array.from({ length: bucketSize }, (_, at) => at + 1));
  expect(model.page(0, 2)).toEqual([bucketSize + 1]);
  model.leave(bucketSize + 1);
  expect(lengthOf(model.state)).toBe(0);
  expect(model.page(0, 1)).toEqual([]);
  expect(model.pageByNeed({ offset: 0, limit: 1 }).asked).toEqual([]);
});

describe('without anything read', () => {
  test('the known numbers of a page are right, and the first page is known while few of the newest numbers are holes', () => {
    const { random } = seededRandom(3);
    const model = new Model();
    for (let step = 0; step < 6000; step++) {
      if (random() < 0.8 || model.live.length === 0) model.join();
      // Most members that leave are among the newest.
      else model.leave(model.live[Math.floor(random() ** 4 * model.live.length)]!);
      if (step % 20 !== 0) continue;
      const slice = { offset: random() < 0.5 ? 0 : Math.floor(random() * model.live.length), limit: 50 };
      const { known, length, needs } = pageNumbers(model.state, slice, nothing);
      const page = model.live.slice(slice.offset, slice.offset + slice.limit);
      expect(length).toBe(page.length);
      expect(known).toEqual(page.slice(0, known.length));
      if (slice.offset === 0) expect(needs).toBeUndefined();
    }
    expect(hasCounts(model.state)).toBe(true);
  });

  const listOf = (count: number, ...left: number[]) => {
    const model = new Model();
    for (let number = 1; number <= count; number++) model.join();
    model.leave(...left);
    return model;
  };
  const deep = { offset: windowSize - 10, limit: 50 };

  test('if all holes are in the window, the rest is dense, in however many buckets', () => {
    const one = listOf(3 * windowSize, 3 * windowSize - 5);
    expect(pageNumbers(one.state, deep, nothing).known).toEqual(one.live.slice(118, 168));
    // The window is in two buckets, with a hole in each.
    const two = listOf(bucketSize + 20, bucketSize + 5, bucketSize - 5);
    const slice = { offset: bucketSize - 100, limit: 50 };
    expect(pageNumbers(two.state, slice, nothing)).toEqual({
      known: two.live.slice(slice.offset, slice.offset + 50),
      length: 50,
      offset: slice.offset,
    });
  });

  test('a list that no member has left is dense, however long it is', () => {
    const state = { ...emptyList, last: 1_000_000 };
    expect(pageNumbers(state, { offset: 999_999, limit: 50 }, nothing)).toMatchObject({
      known: [1],
      length: 1,
    });
  });
});

test('a state and counts that contradict each other make no endless page', () => {
  const slice = { offset: 0, limit: 50 };
  const empty = { counts: () => -5, buckets: new Map([[0, new Set<number>()]]) };
  expect(pageNumbers({ last: 10, left: -5, newest: 0n }, slice, empty)).toMatchObject({
    known: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    length: 15,
  });
  const long = { last: 3 * bucketSize, left: 1, newest: 0n };
  expect(pageNumbers(long, slice, { ...empty, counts: () => bucketSize }).known).toEqual([]);
});

describe('the bucket that a page is likely to begin in', () => {
  test('is nearly always right where holes are spread evenly', () => {
    const { random } = seededRandom(5);
    const model = new Model();
    for (let number = 1; number <= 40_000; number++) model.join();
    model.leave(...model.live.filter(() => random() < 0.3));
    const offsets = Array.from({ length: 500 }, () => Math.floor(random() * model.live.length));
    const wrong = offsets.filter(
      (offset) =>
        likelyBucket(model.state, { offset, limit: 1 }) !== bucketPositionOf(model.live[offset]!).bucket,
    );
    expect(wrong.length).toBeLessThan(500 / 20);
  });

  test('is right where nobody has left, and is always one that the list has', () => {
    const dense = { ...emptyList, last: 3 * bucketSize + 5 };
    for (const offset of [0, 4, 5, bucketSize, 2 * bucketSize + 5, dense.last - 1]) {
      expect(likelyBucket(dense, { offset, limit: 1 })).toBe(bucketPositionOf(dense.last - offset).bucket);
    }
    for (const offset of [dense.last, 10 * dense.last])
      expect(likelyBucket(dense, { offset, limit: 1 })).toBe(0);
    for (const state of [emptyList, { last: 5000, left: 5000, newest: 0n }]) {
      expect(likelyBucket(state, { offset: 0, limit: 1 })).toBe(
        bucketPositionOf(Math.max(1, state.last)).bucket,
      );
    }
  });
});

test('stored data depends on the size of a bucket and of the window, so neither may change', () => {
  expect({ bucketSize, windowSize }).toEqual({ bucketSize: 4096, windowSize: 128 });
  expect(bucketPositionOf(4096)).toEqual({ bucket: 0, offset: 4095 });
  expect(bucketPositionOf(4097)).toEqual({ bucket: 1, offset: 0 });
});

describe('a formatted state', () => {
  test('has only the parts that it needs', () => {
    let state = emptyList;
    expect(formatState(state)).toBe('0');
    for (let number = 1; number <= 130; number++) state = withNext(state);
    expect(formatState(state)).toBe('3M');
    state = withLeft(state, 2);
    // The second number is just too old for the window.
    expect(formatState(state)).toBe('3M-1');
    state = withLeft(withLeft(withLeft(state, 130), 126), 3);
    expect(state.newest).toBe((1n << 127n) + 0x11n);
    expect(formatState(state)).toBe('3M-4~gAAAAAAAAAAAAAAAAAAAEQ');
    expect(formatState(withNext(state))).toBe('3N-4~Ig');
  });

  test('is absent for a list that no member has joined', () => {
    expect(parseState(undefined)).toEqual(emptyList);
    expect(parseState('0')).toEqual(emptyList);
  });

  test.each([
    '',
    '-',
    '1-',
    '1~Ig',
    '1-2~',
    '1-2~a+b',
    '1-2~' + 'A'.repeat(23),
    '123456789',
    '1-2-3',
    ' 1',
    '1.5',
    'a',
  ])('is not %j', (text) => {
    expect(text).not.toMatch(statePattern);
  });
});
