/** Ctrl-C reaches a command twice, from the terminal and from npm: what comes this soon after the first is the same one. */
const echo = 1000;

/** What an interrupt comes from: the process. */
interface Signals {
  on: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
  off: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
}

/**
 * Calls `stop` once on the first Ctrl-C, and `end` on one that comes more than a second later, from a person who does not want to
 * wait. Returns how to undo that. `now` is in epoch milliseconds.
 */
export function onInterrupt(
  signals: Signals,
  { stop, end, now }: { stop: () => void; end: () => void; now: () => number },
): () => void {
  let first: number | undefined;
  const listener = () => {
    if (first === undefined) {
      first = now();
      stop();
    } else if (now() - first > echo) end();
  };
  signals.on('SIGINT', listener);
  signals.on('SIGTERM', listener);
  return () => {
    signals.off('SIGINT', listener);
    signals.off('SIGTERM', listener);
  };
}
