import autocannon, { type Request, type Result } from 'autocannon';
import * as v from 'valibot';
import type { Measure } from './section.ts';
import { withService, type Service } from './service.ts';
import { median, quantile } from './statistics.ts';

const connections = 10;
/** Seconds, longer than any function may take. */
const timeout = 30;
/** Enough requests to start all threads of a function. */
const warmUpRequests = 100;

/** One kind of request, sent repeatedly. */
interface Load {
  name: string;
  request: Request;
}

/** Result of one round of a load. */
interface Round {
  perSecond: number;
  /** Milliseconds of the 50th and of the 99th percentile. */
  p50: number;
  p99: number;
  requests: number;
}

/** Measures how many requests the local machine answers, and how fast. */
export const measureHttp: Measure = async ({ quick, progress }) => {
  const seconds = quick ? 2 : 10;
  const rounds = quick ? 1 : 3;
  const results = await withService(async (service) => {
    const loads = await loadsOn(service);
    const all = new Map<string, Round[]>(loads.map(({ name }) => [name, []]));
    // Loads take turns, so that other work of the computer affects all of them.
    for (let round = 1; round <= rounds; round++) {
      for (const { name, request } of loads) {
        progress(`${name}, round ${round} of ${rounds}`);
        // Warms up before each load: the machine ends threads that were idle during the other loads.
        await send(service, request, { amount: warmUpRequests });
        all.get(name)?.push(await send(service, request, { duration: seconds }));
      }
    }
    return all;
  });
  return {
    title: 'Requests to the local machine',
    about: [
      `What \`npm start\` answers, its database in memory, to ${connections} connections of autocannon that each send ` +
        `the next request once they have the answer. Both share the computer's cores, so this tells of the local ` +
        `machine and not of AWS. ${
          rounds === 1
            ? `One round of ${seconds} seconds per kind of request`
            : `The medians of ${rounds} rounds, in turns, of ${seconds} seconds`
        }, each after ${warmUpRequests} requests to warm up. Every answer was a success.`,
      'All leads are created in one organization, so their writes happen one after the other: what they wait for is ' +
        'each other.',
    ],
    budgets: [],
    tables: [
      {
        caption: 'Requests per second, and how long they took',
        columns: ['Request', 'Per second', 'p50 (ms)', 'p99 (ms)', 'Requests', 'Per second, by round'],
        rows: [...results].map(([name, all]) => [
          name,
          Math.round(median(all.map(({ perSecond }) => perSecond))),
          tenths(median(all.map(({ p50 }) => p50))),
          tenths(median(all.map(({ p99 }) => p99))),
          all.reduce((total, { requests }) => total + requests, 0),
          all.map(({ perSecond }) => Math.round(perSecond)).join(', '),
        ]),
      },
    ],
    plots: [],
  };
};

const tenths = (value: number) => Math.round(value * 10) / 10;

async function loadsOn({ baseUrl, token }: Service): Promise<Load[]> {
  const headers = { authorization: `Bearer ${token}` };
  const leadId = await anyLead(baseUrl, headers);
  let created = 0;
  const newLead = (request: Request): Request => ({
    ...request,
    body: JSON.stringify({ name: 'Ann Lee', email: `ann.${++created}@bench.example` }),
  });
  return [
    {
      name: 'GET /v1/leads?limit=50',
      request: { method: 'GET', path: '/v1/leads?limit=50', headers },
    },
    { name: 'GET /v1/leads/{leadId}', request: { method: 'GET', path: `/v1/leads/${leadId}`, headers } },
    {
      name: 'POST /v1/leads',
      request: {
        method: 'POST',
        path: '/v1/leads',
        headers: { ...headers, 'content-type': 'application/json' },
        setupRequest: newLead,
      },
    },
    { name: 'GET /openapi', request: { method: 'GET', path: '/openapi' } },
  ];
}

const LeadPage = v.object({ leads: v.tupleWithRest([v.object({ id: v.string() })], v.unknown()) });

async function anyLead(baseUrl: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/leads`, { headers });
  return v.parse(LeadPage, await answer.json()).leads[0].id;
}

/**
 * Sends a request a number of times, or for a number of seconds. @throws Error with the first answer that is
 * no success
 */
async function send(
  { baseUrl }: Service,
  request: Request,
  howLong: { amount: number } | { duration: number },
): Promise<Round> {
  const milliseconds: number[] = [];
  let refused: string | undefined;
  const onResponse = (status: number, body: string) => {
    if (status < 200 || status > 299) refused ??= `${status} ${body}`;
  };
  const options = { url: baseUrl, connections, timeout, ...howLong, requests: [{ ...request, onResponse }] };
  const { promise: finished, resolve, reject } = Promise.withResolvers<Result>();
  // The promise form has no types for events. Events give exact times, and autocannon's own statistics whole
  // milliseconds.
  const run = autocannon(options, (error: Error | null, result) => {
    if (error) reject(error);
    else resolve(result);
  });
  run.on('response', (_client, _status, _bytes, time) => milliseconds.push(time));
  run.on('reqError', (error: unknown) => (refused ??= String(error)));
  const { duration } = await finished;
  if (milliseconds.length === 0) refused ??= `nothing within ${duration} s`;
  if (refused !== undefined) {
    throw new Error(`${request.method ?? ''} ${request.path ?? ''} was answered ${refused}`);
  }
  return {
    perSecond: milliseconds.length / duration,
    p50: quantile(milliseconds, 0.5),
    p99: quantile(milliseconds, 0.99),
    requests: milliseconds.length,
  };
}
