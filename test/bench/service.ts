import { tmpdir } from 'node:os';
import { root } from '../../infra/functions.ts';
import { descendants, gone, Start } from '../support/project-copy.ts';
import { unthrottledOptions } from '../support/unthrottled.ts';

/** A running service, and a token of each of its demo organizations. */
export interface Service {
  baseUrl: string;
  token: string;
  tokens: string[];
}

const options = ['--memory', '--port', '0'];

/** Starts `npm start` on a database in memory and a free port. */
export const npmStart = () => new Start(root, ['npm', 'start', '--', ...options], { TMPDIR: tmpdir() });

/** Starts the same without npm, and without the limits of a stage, so that the machine itself is measured. It ends with this process, as it would with npm. */
const plainStart = () =>
  new Start(
    root,
    [process.execPath, 'infra/local/start.ts', ...options, ...unthrottledOptions, '--no-watch'],
    {
      TMPDIR: tmpdir(),
      npm_lifecycle_event: 'start',
    },
  );

/** Starts a service in processes of its own, and ends them all after `use`. `start` says how to start it. */
export async function withService<T>(
  use: (service: Service) => Promise<T>,
  start: () => Start = plainStart,
): Promise<T> {
  const started = start();
  try {
    const { baseUrl, tokens } = await started.ready();
    return await use({ baseUrl, token: tokens[0]!, tokens });
  } finally {
    await endAll(started);
  }
}

async function endAll(started: Start): Promise<void> {
  const processes = descendants(started.pid);
  await started.end('SIGTERM');
  await gone(processes);
}
