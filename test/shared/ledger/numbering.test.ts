import { expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/seeded-random.ts';
import {
  bucketAtRank,
  bucketSize,
  emptyNumbering,
  liveCount,
  numberInBucket,
  placeInBucket,
  withDeleted,
  withNext,
  type Numbering,
} from '../../../shared/ledger/numbering.ts';

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
    const { bucket, offset } = placeInBucket(number);
    this.offsets.set(bucket, (this.offsets.get(bucket) ?? new Set()).add(offset));
  }

  numberAtRank(rank: number): number | undefined {
    const place = bucketAtRank(this.numbering, rank);
    return place && numberInBucket(this.numbering, place, this.offsets.get(place.bucket) ?? new Set());
  }
}

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
