/** Makes a clock that moves only when a test moves it, or by the time that code sleeps. */
export function stoppedClock(now = Date.now()) {
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  const sleep = (milliseconds: number) => {
    pass(milliseconds);
    return Promise.resolve();
  };
  return { pass, system: { now: () => now, sleep, random: () => 1 } };
}
