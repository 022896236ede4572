import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { realSystem } from '../../../shared/core/system.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { RequestTaken, type KeyedRequest } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import type { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { faults } from '../../support/store/faults.ts';
import { faultyStore, inOrder } from '../../support/store/faulty-store.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import {
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/test-organization.ts';

let ours: TestOrganization;
beforeEach(async () => {
  ours = await newOrganization();
});

const id = 'x'.repeat(43);
const newRequest = (): KeyedRequest => ({ id, fingerprint: 'f', kept: undefined });

/** Opens the ledger for a request. */
const openFor = (request: KeyedRequest, store = newStore()) =>
  store.ledgerOf({ organization: ours.code, userId: ours.userId, ...limits(1e9), request });

const ann = { name: 'Ann Lee', email: 'ann@example.com' };

describe('a request with a key', () => {
  test('is refused as taken also where its twin makes another record look outdated', async () => {
    const reason = { Code: 'ConditionalCheckFailed' };
    const cancelled = new TransactionCanceledException({
      message: 'Cancelled',
      $metadata: {},
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
    await createLead(openFor(newRequest(), store), { name: 'Bo' });
    pass(86_399_000);
    expect(await openFor(newRequest(), store).refreshKept()).toBeDefined();
    await expect(createLead(openFor(newRequest(), store), { name: 'Bo' })).rejects.toThrow(RequestTaken);
    pass(1000);
    expect(await openFor(newRequest(), store).refreshKept()).toBeUndefined();
    await createLead(openFor(newRequest(), store), { name: 'Bo' });
    expect(await openFor(newRequest(), store).refreshKept()).toBeDefined();
  });

  test('whose reply was lost is known to be stored', async () => {
    const { store } = faultyStore(inOrder('TransactWriteItemsCommand', { after: faults.reset }));
    const request = newRequest();
    const { id: leadId } = await createLead(openFor(request, store), ann);
    expect(request.kept?.records).toMatchObject([{ number: openFor(request).ref(leads, leadId).number }]);
  });

  test('finds a record that a plain read does not show yet', async () => {
    const request = newRequest();
    await createLead(openFor(request), ann);
    const { store } = recordedStore(tableAt(), {}, async (command, _input, send) => {
      const output = await send();
      return command === 'GetItemCommand' ? { ...output, Item: undefined } : output;
    });
    expect(await openFor(request, store).areAllAsKept()).toBe(true);
  });
});
