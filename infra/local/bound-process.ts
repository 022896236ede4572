import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A program that ends with this process, even after a `kill -9`. Only its standard error is kept. */
export interface BoundProcess {
  child: ChildProcessByStdio<Writable, null, Readable>;
  /** Asks it to end. */
  end: () => void;
}

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
 * How to start a program so that it ends with this process.
 * - On Windows, Node.js ends every process that is not detached. A hidden one has its own console, so that
 *   Ctrl-C reaches it only through this process.
 * - Elsewhere, a shell ends it: that takes 1 MB, another Node.js would take 40. Both have a process group of
 *   their own, for the same reason.
 */
export function boundCommand(
  program: string,
  platform: NodeJS.Platform,
): { command: string; before: string[]; detached: boolean } {
  if (platform === 'win32') return { command: program, before: [], detached: false };
  return { command: 'sh', before: ['-c', guard, 'sh', program], detached: true };
}

/** Runs a program until standard input ends, as it does when this process ends. */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(cat <&3 >/dev/null; kill "$program" 2>/dev/null) &
exec 3<&-
wait "$program"`;
