/** A clock that moves only when it is told to, and when somebody waits. */
export function stoppedClock() {
  let now = Date.now();
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  const sleep = (milliseconds: number) => {
    pass(milliseconds);
    return Promise.resolve();
  };
  return { pass, system: { now: () => now, sleep, random: () => 1 } };
}
