import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command to its end. @throws Error with the end of what it printed, when it fails */
export async function command(name: string, args: string[], folder: string): Promise<void> {
  try {
    await run(name, args, { cwd: folder, maxBuffer: 256 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    // A tool may print the whole answer that it did not understand.
    const lines = `${stdout}\n${stderr}`
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 300));
    throw new Error(`${name} ${args.join(' ')} failed:\n${lines.slice(-40).join('\n')}`, { cause: error });
  }
}

/** Whether there is such a command, and it runs. */
export async function runs(name: string, ...args: string[]): Promise<boolean> {
  return run(name, args).then(
    () => true,
    () => false,
  );
}
