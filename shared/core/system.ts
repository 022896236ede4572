import { randomBytes } from 'node:crypto';

/** The clock, randomness and sleep, in one interface that a test can replace. */
export interface System {
  /** Epoch milliseconds. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** `size` uniformly random bytes, good enough for a secret. */
  randomBytes(size: number): Uint8Array;
  /** Resolves after `milliseconds`. */
  sleep(milliseconds: number): Promise<void>;
}

export const realSystem: System = {
  now: () => Date.now(),
  random: () => Math.random(),
  randomBytes: (size) => randomBytes(size),
  sleep: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};
