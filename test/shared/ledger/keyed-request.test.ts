import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { realSystem } from '../../../shared/core/system.ts';
import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { newConsumedCapacity, RequestTaken, type KeyedRequest } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import type { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { requestKey } from '../../../shared/ledger/internal/keys.ts';
import { faults } from '../../support/faults.ts';
import { faultyStore, inOrder } from '../../support/faulty-store.ts';
import { recordedStore } from '../../support/recorded-store.ts';
import { never } from '../../support/records.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { newOrganization, newStore, tableAt, type TestOrganization } from '../../support/world.ts';
import { itemAt } from './items-of-table.ts';

let ours: TestOrganization;
beforeEach(async () => {
  ours = await newOrganization();
});

const id = 'x'.repeat(43);
const newRequest = (): KeyedRequest => ({ id, fingerprint: 'f', kept: undefined });
const stored = () => itemAt(requestKey(ours.code, id));

/** Opens the ledger for a request, with a count of what the request consumes. */
function openFor(request: KeyedRequest | undefined, store = newStore()) {
  const capacity = newConsumedCapacity();
  const caller = { organization: ours.code, userId: ours.userId, deadline: Date.now() + 1e9, capacity };
  return { capacity, ledger: store.ledgerOf({ ...caller, ...(request && { request }) }) };
}

const ann = { name: 'Ann Lee', email: 'ann@example.com' };

describe('a request with a key', () => {
  test('costs two write units more, and one read unit to look whether it came before', async () => {
    const [plain, keyed] = [openFor(undefined), openFor(newRequest())];
    await createLead(plain.ledger, { name: 'Bo' });
    await keyed.ledger.findKept();
    await createLead(keyed.ledger, { name: 'Bo' });
    const { readUnits, writeUnits } = plain.capacity;
    expect(keyed.capacity).toMatchObject({ readUnits: readUnits + 1, writeUnits: writeUnits + 2 });
  });

  test('is kept with what it made, and without data of a person', async () => {
    const { system } = stoppedClock();
    const { ledger } = openFor(newRequest(), newStore(system));
    const { id: leadId } = await createLead(ledger, ann);
    const { revision, ...item } = (await stored()) as Record<string, unknown>;
    const [number, second] = [ledger.ref(leads, leadId).number, Math.floor(system.now() / 1000)];
    expect(item).toEqual({
      ...requestKey(ours.code, id),
      fingerprint: 'f',
      records: `LEAD#${number}@${String(revision)}`,
      note: '',
      expiresAtSecond: second + 86_400,
    });
    expect(await openFor(newRequest()).ledger.findKept()).toMatchObject({
      records: [{ collection: 'LEAD', number, revision }],
    });
  });

  test('is refused as taken before anything else, if its twin was faster', async () => {
    const [first, twin] = [openFor(newRequest()), openFor(newRequest())];
    await createLead(first.ledger, ann);
    await expect(createLead(twin.ledger, ann)).rejects.toThrow(RequestTaken);
    expect((await twin.ledger.findKept({ isSerializable: true }))?.records).toHaveLength(1);
  });

  test('is refused as taken also where its twin makes another record look outdated', async () => {
    const reason = { Code: 'ConditionalCheckFailed' };
    const cancelled = new TransactionCanceledException({
      ...{ message: 'Cancelled', $metadata: {} },
      CancellationReasons: [{ Code: 'None' }, reason, reason],
    });
    const table = { transact: () => Promise.reject(cancelled) } as unknown as TableClient;
    const put = { operation: {} };
    const ofRequest = { ...put, refusal: () => new RequestTaken() };
    const limits = { system: realSystem, deadline: Date.now() + 1000 };
    await expect(commit(table, [put, put, ofRequest], limits)).rejects.toThrow(RequestTaken);
  });

  test('is carried out again after 24 hours, and not a second before', async () => {
    const { pass, system } = stoppedClock();
    const store = newStore(system);
    await createLead(openFor(newRequest(), store).ledger, { name: 'Bo' });
    pass(86_399_000);
    expect(await openFor(newRequest(), store).ledger.findKept()).toBeDefined();
    await expect(createLead(openFor(newRequest(), store).ledger, { name: 'Bo' })).rejects.toThrow(
      RequestTaken,
    );
    pass(1000);
    expect(await openFor(newRequest(), store).ledger.findKept()).toBeUndefined();
    await createLead(openFor(newRequest(), store).ledger, { name: 'Bo' });
    expect(await openFor(newRequest(), store).ledger.findKept()).toBeDefined();
  });

  test('whose reply was lost is known to be stored', async () => {
    const { store } = faultyStore(inOrder('TransactWriteItemsCommand', { after: faults.reset }));
    const request = newRequest();
    const { id: leadId } = await createLead(openFor(request, store).ledger, ann);
    expect(request.kept?.records).toMatchObject([
      { number: openFor(request).ledger.ref(leads, leadId).number },
    ]);
  });

  test('tells a record that has changed or gone since', async () => {
    const { ledger } = openFor(newRequest());
    const { id: leadId } = await createLead(ledger, ann);
    expect([await ledger.areAllAsKept(), ledger.keptId(leads)]).toEqual([true, leadId]);
    await updateLead(ours.openLedger().ledger, leadId, { suburb: 'Carlton' });
    expect(await ledger.areAllAsKept()).toBe(false);
  });

  test('finds a record that a plain read does not show yet', async () => {
    const request = newRequest();
    await createLead(openFor(request).ledger, ann);
    const { store } = recordedStore(tableAt(), {}, async (command, _input, send) => {
      const output = await send();
      return command === 'GetItemCommand' ? { ...output, Item: undefined } : output;
    });
    expect(await openFor(request, store).ledger.areAllAsKept()).toBe(true);
  });

  test('that is a batch keeps each item with its position, in each of its transactions', async () => {
    const request = newRequest();
    const { ledger, capacity } = openFor(request);
    const items = Array.from({ length: 60 }, (_, at) => ({
      name: `Lead ${at}`,
      ...(at === 2 && { phone: '1' }),
    }));
    const results = await createLeads(ledger, items, never);
    expect(capacity.writes).toBe(2);
    const kept = request.kept!.records;
    expect(new Set(kept.map(({ revision }) => revision)).size).toBe(2);
    expect(kept.map(({ item }) => item)).toEqual(
      Array.from({ length: 60 }, (_, at) => at).filter((at) => at !== 2),
    );
    for (const { item, number } of kept)
      expect(results[item!]).toMatchObject({ status: 'ok', lead: { id: ledger.idOf(leads, number) } });
    // A twin that has read the first transaction alone meets the second.
    const behind = { ...newRequest(), kept: { ...request.kept!, revision: kept[0]!.revision } };
    await expect(createLeads(openFor(behind).ledger, [...items, ann], never)).rejects.toThrow(RequestTaken);
  });
});
