import { keepWarmWorker } from '../../shared/contract/keep-warm.ts';
import { functionsAtOnce } from '../../shared/http/keep-warm.ts';
import { markdownTable } from '../support/markdown.ts';
import { assumed, customers } from './assumptions.ts';
import { lambdaBytes, otherBytes } from './log-lines.ts';
import { dollars, partsOf, totalOf } from './price.ts';

/** Runs of the worker in a month. */
const runs = (assumed.daysInMonth * 24 * 60) / keepWarmWorker.on.schedule.everyMinutes;

interface KeptWarm {
  calls: number;
  dollars: number;
}

/** Cost of a month in which so many functions are kept warm: their calls, and the worker. */
export async function keptWarm(functions: number): Promise<KeptWarm> {
  const call = partsOf({
    cost: [0, 0, 0],
    logBytes: lambdaBytes,
    isRequest: false,
    milliseconds: assumed.warmUpMilliseconds,
  });
  const run = partsOf({
    cost: [Math.ceil(functions / functionsAtOnce), 0, 0],
    logBytes: await otherBytes(keepWarmWorker.name, [0, 0, 0]),
    isRequest: false,
  });
  const calls = Math.round(runs * functions);
  return { calls, dollars: calls * totalOf(call) + runs * totalOf(run) };
}

/** Says what keeping functions warm costs, and saves. */
export async function keptWarmSection(
  functions: number,
  monthlyRequests: readonly number[],
): Promise<string[]> {
  const rows = await Promise.all(
    [functions, 121].map(async (count) => {
      const { calls, dollars: amount } = await keptWarm(count);
      return [String(count), calls.toLocaleString('en'), dollars(amount)];
    }),
  );
  const { coldShare, coldMilliseconds } = assumed;
  const cold = totalOf(
    partsOf({ cost: [0, 0, 0], logBytes: 0, isRequest: false, milliseconds: coldMilliseconds }),
  );
  const saved = (monthlyRequests.at(-1) ?? 0) * coldShare * cold;
  return [
    `With the setting \`keepWarm\`, as in \`prod\`, a worker calls each function of the API every ${keepWarmWorker.on.schedule.everyMinutes} minutes:`,
    markdownTable({ areAmounts: true, columns: ['Functions', 'Calls a month', 'Dollars a month'], rows }),
    `It saves time rather than money. A cold start makes a client wait for some ${coldMilliseconds} ms more, and costs ${(cold * million).toFixed(1)} dollars a million: ` +
      `if a ${customers.at(-1)?.title.toLowerCase()} customer met none, that would be ${dollars(saved)} a month. It is for functions that are seldom used. One environment of each ` +
      'is kept, so requests that come at the same time still meet cold starts, and AWS does not promise to keep any.',
    `On the local machine, which ends functions that were idle for half a minute, the first request after that took ${measuredFirst.idle} ms, and ${measuredFirst.warm} ms ` +
      `after a call of the worker (medians of ${measuredFirst.requests} requests to seven functions; a further one took ${measuredFirst.further} ms). Its two cores had much else to do, so compare the ratio alone.`,
  ];
}

const million = 1_000_000;

/** Milliseconds of requests on the local machine, measured on 2026-11-23. */
const measuredFirst = { idle: 686, warm: 25, further: 16, requests: 35 } as const;
