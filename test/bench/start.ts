import { tmpdir } from 'node:os';
import { root } from '../../infra/root.ts';
import { descendants, gone, Start } from '../support/machine/project-copy.ts';
import { median, type Chapter, type Run } from './chapter.ts';

/** A running machine, and a token of each of its demo organizations. */
export interface Machine {
  baseUrl: string;
  tokens: string[];
}

/** Starts the machine by a command, in memory and at a free port, and ends all its processes after `use`. */
export async function withMachine<T>(
  [command, ...args]: [string, ...string[]],
  use: (machine: Machine) => Promise<T>,
): Promise<T> {
  const environment = { TMPDIR: tmpdir(), npm_lifecycle_event: 'start' };
  const started = new Start(root, [command, ...args, '--memory', '--port', '0'], environment);
  try {
    return await use(await started.ready());
  } finally {
    const processes = descendants(started.pid);
    await started.end('SIGTERM');
    await gone(processes);
  }
}

/** Measures how long `npm start` takes, to the first answer. */
export async function measureStart({ quick, progress }: Run): Promise<Chapter> {
  const tries = quick ? 1 : 7;
  const seconds: number[] = [];
  for (let at = 1; at <= tries; at++) {
    progress(`npm start, ${at} of ${tries}`);
    const startedAt = performance.now();
    await withMachine(['npm', 'start', '--'], async ({ baseUrl, tokens: [token] }) => {
      const answer = await fetch(`${baseUrl}/v1/leads`, { headers: { Authorization: `Bearer ${token}` } });
      const body = await answer.text();
      if (!answer.ok) throw new Error(`The first request was answered ${answer.status} ${body}`);
      seconds.push((performance.now() - startedAt) / 1000);
    });
  }
  return {
    title: 'The start of the local machine',
    about:
      '`npm start` on an empty database in memory, with npm itself, the bundles, the template, the database engine and two demo organizations, to the answer of the first ' +
      `request, which starts the authorizer and a function. Median of ${tries} starts.`,
    budgets: [{ what: '`npm start` to the first answer', limit: 4, unit: ' s', measured: median(seconds) }],
  };
}
