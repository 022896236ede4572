const names = ['SIGINT', 'SIGTERM'] as const;

/** Source of interrupts: the process. */
interface Signals {
  on: (signal: (typeof names)[number], listener: () => void) => unknown;
  off: (signal: (typeof names)[number], listener: () => void) => unknown;
}

/**
 * Calls `stop` once on the first Ctrl-C, and `end` on a later one, from a person who does not want to wait. Returns how to undo
 * that. `now` is in epoch milliseconds. Ctrl-C reaches a command twice, from the terminal and from npm: what comes within `echo`
 * milliseconds after the first is the same one.
 */
export function onInterrupt(
  signals: Signals,
  { stop, end, now, echo = 1000 }: { stop: () => void; end: () => void; now: () => number; echo?: number },
): () => void {
  let first: number | undefined;
  const listener = () => {
    if (first === undefined) {
      first = now();
      stop();
    } else if (now() - first > echo) end();
  };
  for (const name of names) signals.on(name, listener);
  return () => {
    for (const name of names) signals.off(name, listener);
  };
}
