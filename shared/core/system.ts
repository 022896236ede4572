/** Everything that makes a run non-deterministic, in one interface that a test can replace. */
export interface System {
  /** Epoch milliseconds. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Resolves after that many milliseconds. */
  sleep(milliseconds: number): Promise<void>;
}

export const realSystem: System = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};
