import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { synthesize } from '../../infra/local/synthesize.ts';
import type { Measure } from './section.ts';
import { npmStart, withService } from './service.ts';
import { median } from './statistics.ts';

const limitInSeconds = 6;

/** Measures how long `npm start` takes. */
export const measureStart: Measure = async ({ quick, progress }) => {
  const tries = quick ? 1 : 3;
  const starts: Start[] = [];
  for (let at = 1; at <= tries; at++) {
    progress(`npm start, ${at} of ${tries}`);
    starts.push(await timeStart());
  }
  progress('the synthesis alone');
  const synthesis = await timeSynthesis();
  const answered = median(starts.map(({ answered }) => answered));
  return {
    title: 'The start of the local machine',
    about: [
      '`npm start` on an empty database in memory: npm itself, the bundles of all functions, the synthesis of the ' +
        'template, the database engine, two demo organizations and, for the first request, the first start of the ' +
        `authorizer and of a function. ${tries === 1 ? 'One start' : `The median of ${tries} starts`}, with files that the ` +
        'system has read before.',
    ],
    budgets: [
      {
        what: '`npm start` to the first answered request',
        limit: `${limitInSeconds} s`,
        measured: inSeconds(answered),
        met: answered <= limitInSeconds * 1000,
      },
    ],
    tables: [
      {
        caption: 'Time since the start of the process',
        columns: ['Until', 'Median', 'Each'],
        rows: [
          rowOf(
            'it says that it is ready',
            starts.map(({ ready }) => ready),
          ),
          rowOf(
            'the first request is answered',
            starts.map(({ answered }) => answered),
          ),
          rowOf('for comparison: bundles and template alone', [synthesis]),
        ],
      },
    ],
  };
};

/** Times of a start, in milliseconds since the process began. */
interface Start {
  ready: number;
  answered: number;
}

async function timeStart(): Promise<Start> {
  const startedAt = performance.now();
  return withService(async ({ baseUrl, token }) => {
    const ready = performance.now() - startedAt;
    const answer = await fetch(`${baseUrl}/v1/leads`, { headers: { authorization: `Bearer ${token}` } });
    const body = await answer.text();
    if (!answer.ok) throw new Error(`The first request was answered ${answer.status} ${body}`);
    return { ready, answered: performance.now() - startedAt };
  }, npmStart);
}

async function timeSynthesis(): Promise<number> {
  const folder = temporaryFolder();
  try {
    const startedAt = performance.now();
    await synthesize(folder.assembly);
    return performance.now() - startedAt;
  } finally {
    folder.release();
  }
}

const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;

const rowOf = (name: string, times: number[]) => [
  name,
  inSeconds(median(times)),
  times.map(inSeconds).join(', '),
];
