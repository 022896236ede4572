import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';

/** Random choices of a run. Equal seeds give equal choices. */
export class Draw {
  readonly random: () => number;
  readonly randomBytes: (size: number) => Uint8Array;

  constructor(seed: number) {
    const { random, randomBytes } = seededRandom(seed);
    this.random = random;
    this.randomBytes = randomBytes;
  }

  /** A random number from `min` up to `max`. */
  between(min: number, max: number): number {
    return min + this.random() * (max - min);
  }

  /** A random integer from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  happens(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  /** A random value, with these weights. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
    let left = this.random() * total;
    for (const [value, weight] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices[0]![0];
  }
}

/** Seed of one episode of a run. */
export function seedOf(runSeed: number, episode: number): number {
  let mixed = Math.imul(runSeed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(episode + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
