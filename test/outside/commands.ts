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
 * Runs a program to its end, and returns its standard output.
 *
 * @throws LocalError if the program fails: `failure`, and the end of its output
 */
export async function output(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
  failure = `${[program, ...args].join(' ')} failed`,
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options, ['ignore', 'pipe', 'pipe']);
  if (code === 0) return stdout;
  // A tool may print the whole answer that it could not read.
  const lines = `${stdout}\n${stderr}`
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 300));
  throw new LocalError(`${failure}:\n${lines.slice(-40).join('\n')}`);
}

/**
 * Runs a program to its end, with its output on this terminal. Its standard input ends with this process.
 *
 * @throws LocalError if the program fails
 */
export async function show(
  program: string,
  args: readonly string[],
  options: RunOptions,
  failure = `${[program, ...args].join(' ')} failed, as told above.`,
): Promise<void> {
  const { code } = await run(program, args, options, ['pipe', 'inherit', 'inherit']);
  if (code !== 0) throw new LocalError(failure);
}

/** True if the program exists and succeeds. */
export const runs = (program: string, ...args: string[]): Promise<boolean> =>
  output(program, args).then(
    () => true,
    () => false,
  );

/** Runs a program that ends with this process, with all programs that it starts. */
async function run(
  program: string,
  args: readonly string[],
  options: RunOptions,
  stdio: StdioOptions,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  // A separate process group can be killed as a whole.
  const child = spawn(program, args, { ...options, stdio, detached: true });
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group is gone, or the platform has no groups.
      child.kill();
    }
  };
  // The program must end before its working folder is removed.
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
