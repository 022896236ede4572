import type { VirtualTime } from '../virtual-time.ts';
import { invocations } from './invocation.ts';

/** Virtual time that replaces the process's clock and timers. */
const clock: { time: VirtualTime | undefined } = { time: undefined };

const real = { now: Date.now, write: process.stdout.write.bind(process.stdout) };

/** A virtual timer, as `clearTimeout` takes it. */
interface Timer {
  cancel: () => void;
  unref: () => Timer;
}

/** `setTimeout` in virtual time. A timer of a dead environment never fires. */
export function setTimeout(act: (...args: unknown[]) => void, delay = 0, ...args: unknown[]): Timer {
  const { time } = clock;
  if (!time) throw new Error('No virtual time runs');
  const invocation = invocations.getStore();
  const cancel = time.at(delay, () => {
    if (!invocation) act(...args);
    else if (!invocation.environment.isDead) invocations.run(invocation, act, ...args);
  });
  const timer = { cancel, unref: () => timer };
  return timer;
}

export function clearTimeout(timer: Timer | undefined): void {
  timer?.cancel();
}

/** Attaches the process's clock and timers to this virtual time. */
export function followTime(time: VirtualTime): void {
  clock.time = time;
}

/** Replaces the process's clock, timers and log by virtual versions, for all code that runs from now on. */
export function installClock(): void {
  Object.assign(globalThis, { setTimeout, clearTimeout });
  Date.now = () =>
    clock.time ? Math.floor(clock.time.now + (invocations.getStore()?.environment.skew ?? 0)) : real.now();
  process.stdout.write = (text: string | Uint8Array) => {
    const invocation = invocations.getStore();
    if (!invocation) return real.write(text);
    invocation.request.log = String(text);
    return true;
  };
}
