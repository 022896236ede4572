/** The outside things that make a run unrepeatable, in one interface, so that a test can give its own. */
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
