import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { LocalError } from '../../../infra/local/local-error.ts';

interface Surroundings {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a program to its end, and tells what it printed. @throws LocalError with the end of that, when it fails */
export async function output(
  program: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<string> {
  const child = spawn(program, args, { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  process.removeListener('exit', end);
  if (code === 0) return stdout;
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
  throw new LocalError(`${[program, ...args].join(' ')} failed:\n${said}`);
}

/** Runs a program to its end, and lets it print. Its standard input ends with this process. @throws LocalError when it fails */
export async function show(
  program: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<void> {
  const child = spawn(program, args, { ...surroundings, stdio: ['pipe', 'inherit', 'inherit'] });
  const end = () => child.kill();
  process.once('exit', end);
  const [code] = (await once(child, 'close')) as [number | null];
  process.removeListener('exit', end);
  if (code !== 0) throw new LocalError(`${[program, ...args].join(' ')} failed, as told above.`);
}
