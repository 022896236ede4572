import { beforeEach, expect, test } from 'vitest';
import type { Product } from '../../../../shared/contract/products.ts';
import { sentences } from '../../../../shared/contract/errors.ts';
import { updateProducts } from '../../../../shared/domain/products/batch.ts';
import { createProduct, updateProduct } from '../../../../shared/domain/products/products.ts';
import { faults } from '../../../support/store/faults.ts';
import { faultyStore, inOrder, type Fault } from '../../../support/store/faulty-store.ts';
import { newOrganization, type TestOrganization } from '../../../support/test-organization.ts';
import { unavailable } from '../../../../shared/core/failure.ts';
import { events } from '../../../../shared/ledger/index.ts';
import { stoppedClock } from '../../../support/stopped-clock.ts';
import { patience } from '../../../support/patience.ts';

const read = 'GetItemCommand';
const store = 'TransactWriteItemsCommand';
const ids = [1, 2, 3, 4];

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
  const { ledger } = organization.openLedger();
  for (const id of ids) {
    await createProduct(ledger, { name: `Product ${id}`, tradeCategoryId: 2, pricingType: 'NONE' });
  }
});

/**
 * Renames the four products in one batch of ten seconds. The first item reads with the head, each later one
 * reads once, and each stores once.
 */
async function rename(decide: (command: string) => Fault, { system } = stoppedClock()) {
  const reported: unknown[] = [];
  const faulty = faultyStore(decide, system);
  const { ledger, capacity } = organization.openLedger({ store: faulty.store, milliseconds: 10_000 });
  const updates = ids.map((id) => ({ id, name: `Renamed ${id}` }));
  const results = await updateProducts(ledger, { updates }, (error) => reported.push(error));
  return {
    outcomes: results.map((result) => (result.status === 'ok' ? (result.product as Product).name : result)),
    reported,
    commands: faulty.commands,
    /** Number of transactions that were sent, and number of transactions that were stored. */
    sent: [capacity.transactions, capacity.writes],
  };
}

const failed = (id: number, message: string) => ({ id, status: 'error', code: 'INTERNAL_ERROR', message });

/** Names of the four products, and the number of their changes. */
async function stored() {
  const { ledger } = organization.openLedger();
  const names: string[] = [];
  for (const id of ids) names.push((await updateProduct(ledger, id, {})).name);
  const { items } = await ledger.page(events, { page: 1, limit: 100 });
  return { names, changes: items.filter(({ event }) => event === 'PRODUCT_UPDATED').length };
}

test('items without time are not begun, and say so; earlier ones stay changed', async () => {
  const clock = stoppedClock();
  let writes = 0;
  const decide = (command: string): Fault => {
    if (command === store && ++writes === 2) clock.pass(patience);
    return 'pass';
  };
  const { outcomes, reported, commands, sent } = await rename(decide, clock);
  expect(outcomes).toEqual([
    'Renamed 1',
    'Renamed 2',
    failed(3, sentences.notReached),
    failed(4, sentences.notReached),
  ]);
  expect(sentences.notReached).toContain('nothing of it was changed');
  // One error for each item, so that the log counts them.
  expect(reported).toEqual([unavailable(), unavailable()]);
  // The head is read once: each item builds on the previous one.
  expect(commands).toEqual([read, read, store, read, store]);
  expect(sent).toEqual([2, 2]);
  expect(await stored()).toEqual({
    names: ['Renamed 1', 'Renamed 2', 'Product 3', 'Product 4'],
    changes: 2,
  });
});

test.each<[string, string, Fault[], string, number, unknown[]]>([
  [
    'an unexpected error in reading',
    read,
    ['pass', 'pass', { before: faults.denied }],
    sentences.itemFailed,
    3,
    [faults.denied],
  ],
  [
    'an unexpected error in storing',
    store,
    ['pass', { before: faults.denied }],
    sentences.itemFailed,
    3,
    [faults.denied],
  ],
  [
    'a lost reply and then an unexpected error',
    store,
    ['pass', { after: faults.reset }, { before: faults.denied }],
    sentences.unknownOutcome,
    4,
    [{ kind: 'internal' }],
  ],
])('%s is of one item alone, and is reported', async (_, command, list, message, changes, errors) => {
  const { outcomes, reported } = await rename(inOrder(command, ...list));
  expect(outcomes).toEqual(['Renamed 1', failed(2, message), 'Renamed 3', 'Renamed 4']);
  expect(reported).toMatchObject(errors);
  expect((await stored()).changes).toBe(changes);
});

test('a lost reply that a repeat recovers is a success, stored once', async () => {
  const { outcomes, reported } = await rename(inOrder(store, 'pass', { after: faults.reset }));
  expect(outcomes).toEqual(ids.map((id) => `Renamed ${id}`));
  expect(reported).toEqual([]);
  expect((await stored()).changes).toBe(4);
});

test.each<[string, Fault, string, string]>([
  [
    'is refused until time runs out says that nothing',
    { before: faults.throttled },
    sentences.notReached,
    'Product 2',
  ],
  [
    'has no reply does not claim that nothing',
    { after: faults.reset },
    sentences.unknownOutcome,
    'Renamed 2',
  ],
])('an item that %s was changed', async (_, fault, message, name) => {
  let writes = 0;
  const { outcomes } = await rename((command) => (command === store && ++writes > 1 ? fault : 'pass'));
  expect(outcomes.slice(0, 2)).toEqual(['Renamed 1', failed(2, message)]);
  expect((await stored()).names.slice(0, 2)).toEqual(['Renamed 1', name]);
});

test('a failure that a client can mend is not reported', async () => {
  const reported: unknown[] = [];
  const { ledger } = organization.openLedger();
  const updates = [
    { id: 99, name: 'x' },
    { id: 1, name: 'product 2' },
    { id: 1, name: '' },
  ];
  await updateProducts(ledger, { updates }, (error) => reported.push(error));
  expect(reported).toEqual([]);
});
