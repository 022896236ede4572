import { once } from 'node:events';
import { startBound } from '../../infra/local/bound-process.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { eventually } from '../support/patience.ts';

/**
 * Starts a program, and ends it after `use`, which begins when an address is answered.
 *
 * @throws LocalError with the program's last words if it ends before
 */
export async function withServer<T>(
  { name, url, command: [program = '', ...args] }: { name: string; url: string; command: string[] },
  use: () => Promise<T>,
): Promise<T> {
  const { child, end } = startBound(program, args);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
  const ended = once(child, 'exit').then((): never => {
    throw new LocalError(`${name} ended: ${said.trim()}`);
  });
  const answered = () => fetch(url).then((answer) => answer.arrayBuffer());
  const answers = async () => child.exitCode !== null || (await answered().catch(() => undefined));
  const ready = eventually(answers, () => `${name} does not answer: ${said}`);
  try {
    return await Promise.race([ended, ready.then(() => (child.exitCode === null ? use() : ended))]);
  } finally {
    end();
    await ended.catch(() => undefined);
  }
}
