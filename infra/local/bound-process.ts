import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A program that ends with this process, even after a `kill -9`. What it says goes to its standard error. */
export interface BoundProcess {
  child: ChildProcessByStdio<Writable, null, Readable>;
  /** Asks it to end. */
  end: () => void;
}

/** Starts a program that ends with this process. */
export function startBound(
  program: string,
  args: string[],
  platform: NodeJS.Platform = process.platform,
): BoundProcess {
  const { command, before, detached } = boundCommand(program, platform);
  const child = spawn(command, [...before, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached,
    windowsHide: true,
  });
  child.stdin.on('error', () => undefined);
  const end = () => {
    child.stdin.end();
    if (!detached) child.kill();
  };
  return { child, end };
}

/**
 * How a program is started so that it ends with this process.
 * - On Windows, Node.js itself sees to that, for every process that is not detached; a hidden one has a console of its
 *   own, so that Ctrl-C reaches it only through this process.
 * - Elsewhere a shell does, which takes a megabyte, where another Node.js would take forty. Both are in a process group
 *   of their own, for the same reason.
 */
export function boundCommand(
  program: string,
  platform: NodeJS.Platform,
): { command: string; before: string[]; detached: boolean } {
  if (platform === 'win32') return { command: program, before: [], detached: false };
  return { command: 'sh', before: ['-c', guard, 'sh', program], detached: true };
}

/** Runs a program until its own standard input ends, the other end of which is this process. */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(cat <&3 >/dev/null; kill "$program" 2>/dev/null) &
exec 3<&-
wait "$program"`;
