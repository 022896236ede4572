import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A program that ends with this process, even after `kill -9`. Only its standard error is kept. */
export interface BoundProcess {
  child: ChildProcessByStdio<Writable, null, Readable>;
  /** Asks the program to end. */
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
 * Builds the command for a program that ends with this process.
 * - On Windows, Node.js ends every process that is not detached. A hidden process has its own console, so
 *   Ctrl-C reaches it only through this process.
 * - Elsewhere, a shell ends the program. The shell takes 1 MB; another Node.js would take 40 MB. Both are in
 *   a process group of their own, so Ctrl-C does not reach them directly either.
 */
export function boundCommand(
  program: string,
  platform: NodeJS.Platform,
): { command: string; before: string[]; detached: boolean } {
  if (platform === 'win32') return { command: program, before: [], detached: false };
  return { command: 'sh', before: ['-c', guard, 'sh', program], detached: true };
}

/** Runs a program until standard input ends, which happens when this process ends. */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(cat <&3 >/dev/null; kill "$program" 2>/dev/null) &
exec 3<&-
wait "$program"`;
