import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';

/** Draws what a run leaves to chance, the same for the same seed. */
export class Draw {
  readonly random: () => number;
  readonly randomBytes: (size: number) => Uint8Array;

  constructor(seed: number) {
    const { random, randomBytes } = seededRandom(seed);
    this.random = random;
    this.randomBytes = randomBytes;
  }

  /** A number from `min` up to `max`. */
  between(min: number, max: number): number {
    return min + this.random() * (max - min);
  }

  /** A whole number from `min` to `max`. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  /** Whether something this likely happens. */
  happens(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  /** One of some values, each as likely as its weight says. */
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

/** A seed of its own for one episode of a run. */
export function seedOf(runSeed: number, episode: number): number {
  let mixed = Math.imul(runSeed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(episode + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
