const names = ['SIGINT', 'SIGTERM'] as const;

/** Part of `process` that tells of interrupts. */
interface Signals {
  on: (signal: (typeof names)[number], listener: () => void) => unknown;
  off: (signal: (typeof names)[number], listener: () => void) => unknown;
}

/**
 * Calls `stop` on the first Ctrl-C, and `end` on a later one, from a person who does not want to wait.
 * Returns a function that ends this. `now` is in epoch milliseconds. A command gets each Ctrl-C twice, from
 * the terminal and from npm, so a second one within `echo` milliseconds is ignored.
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
