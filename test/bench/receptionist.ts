import { findContracts } from '../../infra/functions.ts';
import { trades } from '../../infra/trades/trades.ts';
import { createFaq } from '../../shared/domain/faqs/faqs.ts';
import { createPolicy } from '../../shared/domain/policies/policies.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { foundOrganizationAt } from '../support/organizations.ts';
import { fill } from '../support/records.ts';
import { eventFor } from '../support/requests.ts';
import { coldStarter } from './cold-process.ts';
import { withTable, type EngineTable } from './database.ts';
import { deployedFiles, withFunctionPlace, type FunctionPlace } from './function-place.ts';
import type { Measure, Run, Section } from './section.ts';
import { median, quantile } from './statistics.ts';
import { warmCaller, type WarmFunction } from './warm-calls.ts';

/** Functions that are compared, the one first that the other is measured by. */
const names = ['getLead', 'getReceptionist'];

/** Measures what a call that rings waits for, by what a read of one record takes in the same run. */
export const measureReceptionist: Measure = (run) =>
  withTable((table) => withFunctionPlace(table, (place) => measure(run, table, place)));

async function measure(
  { quick, progress }: Run,
  table: EngineTable,
  { folder, environment }: FunctionPlace,
): Promise<Section> {
  progress('bundling the functions');
  const functions = await functionsIn(table, folder);
  const [rounds, processes, calls] = quick ? [5, 1, 500] : [25, 5, 1000];

  const start = coldStarter(folder, environment);
  const starts = functions.map((): number[] => []);
  // The first round makes the knowledge that later ones find, and reads the files into the disk cache.
  for (let round = 0; round <= rounds; round++) {
    if (round % 5 === 0) progress(`cold starts, round ${round} of ${rounds}`);
    for (const [at, { file, event }] of functions.entries()) {
      const { total } = await start(file, event);
      if (round > 0) starts[at]?.push(total);
    }
  }

  const call = warmCaller(folder, environment);
  const answers = functions.map((): number[] => []);
  for (let time = 1; time <= processes; time++) {
    progress(`warm calls, process ${time} of ${processes}`);
    const times = await call(functions, calls);
    for (const [at, all] of answers.entries()) all.push(...(times[at] ?? []));
  }
  return sectionOf({ rounds, starts, answers });
}

/** Functions as deployed, in an organization with the services and rules of an electrician, whose lead calls. */
async function functionsIn(table: EngineTable, folder: string): Promise<WarmFunction[]> {
  const { operations } = await findContracts();
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization);
  const { ledger } = organization.openLedger();
  const { services, policies, faqs } = trades.electrical;
  for (const { category: _, ...service } of services)
    await createService(ledger, { ...service, tradeCategoryId: 1 });
  for (const policy of policies) await createPolicy(ledger, policy);
  for (const faq of faqs) await createFaq(ledger, faq);
  const fileOf = await deployedFiles(
    operations.map(({ entry }) => entry),
    folder,
  );
  return names.map((name) => {
    const operation = operations.find(({ operationId }) => operationId === name)!;
    return { file: fileOf(operation.entry), event: eventFor(operation, organization, records, 1) };
  });
}

interface Measured {
  rounds: number;
  /** Milliseconds of each cold start, by function. */
  starts: readonly number[][];
  /** Milliseconds of each warm call, by function. */
  answers: readonly number[][];
}

function sectionOf({ rounds, starts, answers }: Measured): Section {
  const cold = starts.map((times) => median(times));
  const slow = answers.map((times) => quantile(times, 0.95));
  const usual = answers.map((times) => median(times));
  const besideFirst = (all: readonly number[]) => all.map((time) => (time / all[0]!).toFixed(2));
  const [ofCold, ofSlow, ofUsual] = [cold, slow, usual].map(besideFirst);
  return {
    title: 'The receptionist, by a read of one lead',
    about: [
      `What a call that rings waits for, \`GET /v1/receptionist\` with the caller's number, and \`GET /v1/leads/{leadId}\` beside it in the same run: so compare the ratios, which depend less on the machine than the milliseconds. The organization has the services, policies and FAQs of an electrician, and the caller is a lead with inquiries and an appointment. The stored knowledge is current, as it is until somebody changes the offer.`,
      `Cold is from the start of a process to the first answer, as in the chapter about cold starts: medians of ${rounds} interleaved rounds. Warm is from the event to the answer, of ${answers[0]!.length} calls of each function, in turn, after 200 that do not count. DynamoDB is this machine's engine behind TLS. getLead waits for one call; the receptionist for two round trips of several calls each. Calls of one round trip run side by side, but each takes CPU time: of the function, and of the engine on the same cores.`,
    ],
    budgets: [],
    tables: [
      {
        caption: 'Ratios to getLead, and milliseconds',
        columns: [
          ...['Function', 'Cold: ratio', 'total', 'Warm: ratio of the 95th percentiles', '95th percentile'],
          ...['Ratio of the medians', 'median'],
        ],
        rows: names.map((name, at) => [
          name,
          ...[ofCold?.[at] ?? '', cold[at]!.toFixed(0)],
          ...[ofSlow?.[at] ?? '', slow[at]!.toFixed(1)],
          ...[ofUsual?.[at] ?? '', usual[at]!.toFixed(1)],
        ]),
      },
    ],
  };
}
