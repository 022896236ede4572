import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { verifyOrganization } from '../../../support/verify-organization.ts';
import { sentences } from '../../../../shared/contract/errors.ts';
import type { LeadBatchResult } from '../../../../shared/contract/lead-batch.ts';
import { unavailable } from '../../../../shared/core/failure.ts';
import { realSystem } from '../../../../shared/core/system.ts';
import { createLeads } from '../../../../shared/domain/leads/create-leads.ts';
import { ImportedLead } from '../../../../shared/domain/leads/imported-lead.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../../shared/domain/leads/list-leads.ts';
import { optOut } from '../../../../shared/domain/opt-outs/opt-outs.ts';
import { faults } from '../../../support/store/faults.ts';
import { clientAt } from '../../../support/stored-organization.ts';
import { recordedStore, type CallInterceptor } from '../../../support/store/recorded-store.ts';
import { simulateWriters, writerLoads } from '../../../simulation/writers.ts';
import { newOrganization, tableAt, type TestOrganization } from '../../../support/test-organization.ts';
import { stoppedClock } from '../../../support/stopped-clock.ts';
import { patience } from '../../../support/patience.ts';

const read = 'GetItemCommand';
const ask = 'TransactGetItemsCommand';
const store = 'TransactWriteItemsCommand';

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const passing: CallInterceptor = (_command, _input, send) => send();

/**
 * Stores a batch as a separate function does. The function has ten seconds. `around` stands between the
 * function and DynamoDB.
 */
async function post(
  leads: readonly object[],
  { around = passing, clock = stoppedClock(), as }: Partial<Sending> = {},
) {
  const reported: unknown[] = [];
  const { store, commands } = recordedStore(tableAt(), clock.system, around);
  const { ledger } = organization.openLedger({ store, milliseconds: 10_000 });
  const results = await createLeads(ledger, leads, (error) => reported.push(error), as);
  return { results, reported, commands, outcomes: results.map(outcomeOf) };
}

interface Sending {
  around: CallInterceptor;
  clock: ReturnType<typeof stoppedClock>;
  as: typeof ImportedLead;
}

const idOf = (result: LeadBatchResult | undefined) =>
  result?.status === 'ok' ? result.lead.id : result?.existingId;

const outcomeOf = (result: LeadBatchResult) => (result.status === 'ok' ? 'ok' : result.message);

/** Acts on transactions, which are counted from 1. */
const onStore = (act: (nth: number, send: () => Promise<object>) => Promise<object>): CallInterceptor => {
  let nth = 0;
  return (command, _input, send) => (command === store ? act(++nth, send) : send());
};

/** Leads with one name and an email address: 22 of them fit into a transaction. */
const withEmail = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: 'Ann', email: `ann${at}@example.com` }));

const times = (count: number, outcome: string) => Array<string>(count).fill(outcome);

const storedEmails = async () => {
  const { items } = await listLeads(organization.openLedger().ledger, { page: 1, limit: 100 });
  return items.map(({ email }) => email).toReversed();
};

describe('a batch of leads', () => {
  test('stores the leads that it has time for, and says of the rest that nothing was stored', async () => {
    const clock = stoppedClock();
    const around = onStore((nth, send) => {
      if (nth === 1) clock.pass(patience);
      return send();
    });
    const { outcomes, reported } = await post(withEmail(24), { around, clock });
    expect(outcomes).toEqual([...times(22, 'ok'), ...times(2, sentences.notReached)]);
    // One error for each item, so that the log counts them.
    expect(reported).toEqual([unavailable(), unavailable()]);
    expect(await storedEmails()).toHaveLength(22);
  });

  test('says of leads whose replies were all lost that the outcome is unknown', async () => {
    const leads = withEmail(23);
    leads.splice(5, 0, { name: 'Twin', email: 'ANN0@example.com' });
    const clock = stoppedClock();
    const around = onStore(async (_, send) => {
      await send();
      clock.pass(patience);
      throw faults.timeout;
    });
    const { outcomes } = await post(leads, { around, clock });
    // The repeat is not stored either, and its reason is not known.
    expect(outcomes).toEqual([
      ...times(5, sentences.unknownOutcome),
      sentences.notReached,
      ...times(16, sentences.unknownOutcome),
      ...times(2, sentences.notReached),
    ]);
    expect(await storedEmails()).toHaveLength(21);
    const again = await post(leads);
    expect(again.outcomes).toEqual([...times(22, 'Another lead has this email'), 'ok', 'ok']);
    expect(await storedEmails()).toHaveLength(23);
  });

  test('loses one transaction only to an error, and tries leads with the values of lost ones again', async () => {
    const leads = withEmail(24);
    leads.splice(5, 0, { name: 'Twin', email: 'ANN0@example.com' });
    const around = onStore((nth, send) => (nth === 1 ? Promise.reject(faults.denied) : send()));
    const { outcomes, reported } = await post(leads, { around });
    expect(outcomes).toEqual([
      ...times(5, sentences.itemFailed),
      'ok',
      ...times(16, sentences.itemFailed),
      ...times(3, 'ok'),
    ]);
    expect(reported).toEqual(Array(21).fill(faults.denied));
    const emails = ['ANN0', 'ann21', 'ann22', 'ann23'].map((name) => `${name}@example.com`);
    expect(await storedEmails()).toEqual(emails);
  });

  test('fails completely if the organization cannot be read', async () => {
    const around: CallInterceptor = () => Promise.reject(faults.denied);
    expect((await post(withEmail(2), { around })).outcomes).toEqual(times(2, sentences.itemFailed));
  });

  test('reads no unique values while none is taken; then those of this and the later transactions, once each', async () => {
    const { ledger } = organization.openLedger();
    const { id } = await createLead(ledger, { name: 'Bo', email: 'Ann1@example.com' });
    const { outcomes, results, commands } = await post(withEmail(40));
    expect(outcomes.filter((outcome) => outcome !== 'ok')).toHaveLength(1);
    expect(results[1]).toMatchObject({ code: 'CONFLICT', existingId: id });
    expect(commands).toEqual([read, read, store, read, read, ask, store, ask, store]);
    const later = [
      ...Array.from({ length: 45 }, (_, at) => ({
        name: 'Di',
        ...(at === 0 && { email: 'di@example.com' }),
      })),
      { name: 'Di', email: 'Di@example.com' },
    ];
    const twins = await post(later);
    // The batch knows the values that it has stored itself.
    expect(twins.results[45]).toMatchObject({ code: 'CONFLICT', existingId: idOf(twins.results[0]) });
    expect(twins.commands).toEqual([read, read, store, store]);
    const more = await post(Array.from({ length: 58 }, () => ({ name: 'Cy' })));
    expect(more.commands).toEqual([read, read, store, store]);
    const refused = await post([{}, { name: 7 }]);
    expect(refused.commands).toEqual([]);
  });

  test('names fifty problems of an item, and counts the others', async () => {
    const unknown = Array.from({ length: 200 }, (_, at) => `x${at}`);
    const { outcomes } = await post([{ ...Object.fromEntries(unknown.map((name) => [name, 1])), name: 7 }]);
    const named = unknown.slice(0, 50).map((name) => `${name} is not a known field`);
    expect(outcomes).toEqual([`${named.join('; ')}, and 151 more`]);
  });

  test('fails the leads whose values another writer takes at the same time', async () => {
    const [lead] = withEmail(1);
    let others = 0;
    const around: CallInterceptor = async (command, _input, send) => {
      // Stores the value after this batch has read, and before it stores.
      if (command === store && others++ < 2) {
        const { ledger } = organization.openLedger();
        await createLead(ledger, { ...lead!, ...(others === 1 && { email: 'other@example.com' }) });
      }
      return send();
    };
    const { outcomes } = await post([lead!, { name: 'Bo' }], { around });
    expect(outcomes).toEqual(['Another lead has this email', 'ok']);
  });

  test('gives up leads whose values are refused as taken, but never found to be', async () => {
    let transactions = 0;
    const around: CallInterceptor = (command, input, send) => {
      if (command !== store) return send();
      transactions++;
      const { TransactItems } = input as { TransactItems: object[] };
      const reasons = TransactItems.map(() => ({ Code: 'None' }));
      const taken = { Code: 'ConditionalCheckFailed', Item: { id: { S: 'lead_0' } } };
      const CancellationReasons = [...reasons.slice(1), taken];
      return Promise.reject(
        new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons }),
      );
    };
    const { outcomes } = await post(withEmail(1), { around });
    expect(outcomes).toEqual([sentences.notReached]);
    expect(transactions).toBe(7);
  });

  test('knows which numbers have opted out, by one read', async () => {
    const { ledger } = organization.openLedger();
    await ledger.write({}, async (write) => {
      await optOut(write, '+61491570156');
      write.event({ event: 'TEST', data: 'A test', referenceId: '' });
    });
    const phones = ['0491 570 006', '0491 570 156', '', '0491 570 157'];
    const { results, commands } = await post(phones.map((phone) => ({ name: 'Ann', phone })));
    expect(results.map((result) => result.status === 'ok' && result.lead.isOptedOut)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(commands).toEqual([read, read, ask, store]);
  });
});

test('an imported lead that has opted out is opted out in the transaction that creates it', async () => {
  const phone = (at: number) => `+614915700${at + 10}`;
  const optedOut = Array.from({ length: 20 }, (_, at) => ({
    name: 'Ann',
    email: `ann${at}@example.com`,
    phone: phone(at),
    isOptedOut: true,
  }));
  const first = await post([...optedOut, { name: 'Bo', phone: phone(20) }], { as: ImportedLead });
  const optedOutIn = (results: readonly LeadBatchResult[]) =>
    results.map((result) => result.status === 'ok' && result.lead.isOptedOut);
  expect(optedOutIn(first.results)).toEqual([...Array<boolean>(20).fill(true), false]);
  // Nine items each, of the 89 that a transaction takes.
  expect(first.commands).toEqual([read, read, store, ask, store, ask, store]);
  const access = { client: clientAt(tableAt()), tableName: inject('tableName'), system: realSystem };
  expect((await verifyOrganization(access, organization.code)).findings).toEqual([]);
});

test('one client that sends batch after batch stores at least 300 leads a second on the real service, as simulated', async () => {
  const { leadsPerSecond, failed } = await simulateWriters({
    ...writerLoads.batches,
    milliseconds: 1_000,
  });
  expect(leadsPerSecond).toBeGreaterThan(300);
  expect(failed).toBe(0);
});
