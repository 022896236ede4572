import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LocalError } from '../../infra/local/local-error.ts';

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program to its end, and tells what it printed.
 * @throws LocalError when it fails: `failure`, and the end of what it printed
 */
export async function output(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
  failure = `${[program, ...args].join(' ')} failed`,
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options, ['ignore', 'pipe', 'pipe']);
  if (code === 0) return stdout;
  // A tool may print the whole answer that it did not understand.
  const lines = `${stdout}\n${stderr}`
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 300));
  throw new LocalError(`${failure}:\n${lines.slice(-40).join('\n')}`);
}

/**
 * Runs a program to its end, and lets it print. Its standard input ends with this process.
 * @throws LocalError when it fails
 */
export async function show(
  program: string,
  args: readonly string[],
  surroundings: RunOptions,
  failure = `${[program, ...args].join(' ')} failed, as told above.`,
): Promise<void> {
  const { code } = await run(program, args, surroundings, ['pipe', 'inherit', 'inherit']);
  if (code !== 0) throw new LocalError(failure);
}

/** Whether there is such a program, and it succeeds. */
export const runs = (program: string, ...args: string[]): Promise<boolean> =>
  output(program, args).then(
    () => true,
    () => false,
  );

/** Runs a program that ends with this process, and so do those that it starts. */
async function run(
  program: string,
  args: readonly string[],
  surroundings: RunOptions,
  stdio: StdioOptions,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  // A process group of its own, which can be ended as a whole.
  const child = spawn(program, args, { ...surroundings, stdio, detached: true });
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // There is no such group any more; or not on this platform.
      child.kill();
    }
  };
  // Before the folder is removed that it works in.
  process.prependOnceListener('exit', end);
  try {
    const [stdout, stderr, [code]] = await Promise.all([
      printed(child.stdout),
      printed(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  } finally {
    process.removeListener('exit', end);
  }
}

const printed = (stream: Readable | null): Promise<string> => (stream ? text(stream) : Promise.resolve(''));
