import { randomBytes } from 'node:crypto';

/** Everything that makes a run non-deterministic, in one interface that a test can replace. */
export interface System {
  /** Epoch milliseconds. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** That many uniformly random bytes, good enough for a secret. */
  randomBytes(size: number): Uint8Array;
  /** Resolves after that many milliseconds. */
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
