import { findContracts } from '../../infra/functions.ts';
import { trades } from '../../infra/trades/trades.ts';
import { createFaq } from '../../shared/domain/faqs/faqs.ts';
import { createPolicy } from '../../shared/domain/policies/policies.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { fill } from '../support/filled-records.ts';
import { eventFor } from '../support/event-for.ts';
import { median, quantile, type Chapter, type Run } from './chapter.ts';
import {
  withFunctionPlace,
  withTable,
  type EngineTable,
  type FunctionPlace,
  type RunnableFunction,
} from './functions.ts';

/** Functions that are compared. The first is the measure for the second. */
const names = ['getLead', 'getReceptionist'];
/** Calls of each function that do not count. */
const unmeasured = 200;

/** Measures what a call that rings waits for, compared with a read of one record in the same run. */
export const measureReceptionist = (run: Run): Promise<Chapter> =>
  withTable((table) => withFunctionPlace(table, (place) => measure(run, table, place)));

async function measure({ quick, progress }: Run, table: EngineTable, place: FunctionPlace): Promise<Chapter> {
  progress('bundling the functions');
  const functions = await functionsIn(table, place);
  const [rounds, processes, calls] = quick ? [5, 1, 500] : [25, 5, 1000];
  const starts = functions.map((): number[] => []);
  // The first round makes the knowledge that later ones find, and reads the files into the disk cache.
  for (let round = 0; round <= rounds; round++) {
    if (round % 5 === 0) progress(`cold starts, round ${round} of ${rounds}`);
    for (const [at, one] of functions.entries()) {
      const { first } = await place.run([one], 1);
      if (round > 0) starts[at]?.push(first);
    }
  }
  const answers = functions.map((): number[] => []);
  for (let time = 1; time <= processes; time++) {
    progress(`warm calls, process ${time} of ${processes}`);
    const { calls: times } = await place.run(functions, unmeasured + calls);
    for (const [at, all] of answers.entries()) all.push(...(times[at] ?? []).slice(unmeasured));
  }
  const measured = {
    cold: starts.map((times) => median(times)),
    p95: answers.map((times) => quantile(times, 0.95)),
    median: answers.map((times) => median(times)),
  };
  const ratio = (times: readonly number[], at: number) => (times[at]! / times[0]!).toFixed(2);
  return {
    title: 'The receptionist, by a read of one lead',
    about:
      "What a call that rings waits for, `GET /v1/receptionist` with the caller's number, beside `GET /v1/leads/{leadId}`: compare the ratios. " +
      'The organization has the services, policies and FAQs of an electrician, and the caller is a lead with inquiries and an appointment. ' +
      'The stored knowledge is current, as it is until somebody changes the offer. Cold is from the start of a process to the first answer: ' +
      `medians of ${rounds} interleaved rounds. Warm is from the event to the answer: ${answers[0]!.length} calls of each function, in turn. ` +
      'The receptionist waits for two round trips of several calls each. Calls of one round trip run side by side, but each takes CPU time ' +
      'of the function, and of the engine on the same cores. Milliseconds:',
    table: {
      areAmounts: true,
      columns: [
        'Function',
        'Cold: ratio',
        'total',
        'Warm: ratio of p95',
        'p95',
        'Ratio of medians',
        'median',
      ],
      rows: names.map((name, at) => [
        name,
        ...[ratio(measured.cold, at), measured.cold[at]!.toFixed(0)],
        ...[ratio(measured.p95, at), measured.p95[at]!.toFixed(1)],
        ...[ratio(measured.median, at), measured.median[at]!.toFixed(1)],
      ]),
    },
    budgets: [],
  };
}

/**
 * Functions as deployed, in an organization with the services and rules of an electrician. The caller is a lead.
 */
async function functionsIn(table: EngineTable, place: FunctionPlace): Promise<RunnableFunction[]> {
  const { operations } = await findContracts();
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization);
  const { ledger } = organization.openLedger();
  const { services, policies, faqs } = trades.electrical;
  for (const { category: _, ...service } of services)
    await createService(ledger, { ...service, tradeCategoryId: 1 });
  for (const policy of policies) await createPolicy(ledger, policy);
  for (const faq of faqs) await createFaq(ledger, faq);
  const fileOf = await place.build(
    'deployed',
    operations.map(({ entry }) => entry),
  );
  return names.map((name) => {
    const operation = operations.find(({ operationId }) => operationId === name)!;
    return { file: fileOf(operation.entry), event: eventFor(operation, organization, records, 1) };
  });
}
