import type { RandomBytes } from '../../../shared/domain/tokens/token.ts';

/** Pseudo-random numbers and bytes, the same for the same seed (Mulberry32). Not for secrets. */
export function seededRandom(seed: number): { random: () => number; randomBytes: RandomBytes } {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    random,
    randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)),
  };
}
