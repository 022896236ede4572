import { beforeEach, expect, test } from 'vitest';
import type { Product } from '../../../../shared/contract/products.ts';
import { sentences } from '../../../../shared/contract/errors.ts';
import { updateProducts } from '../../../../shared/domain/products/batch.ts';
import { createProduct, updateProduct } from '../../../../shared/domain/products/products.ts';
import { faults } from '../../../support/faults.ts';
import { faultyStore, inOrder, type Fault } from '../../../support/faulty-store.ts';
import { newOrganization, type TestOrganization } from '../../../support/world.ts';
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
    /** Transactions that were sent, and those that were stored. */
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

test('an item that is refused until time runs out says that nothing was changed', async () => {
  let writes = 0;
  const { outcomes, reported } = await rename((command) =>
    command === store && ++writes > 1 ? { before: faults.throttled } : 'pass',
  );
  expect(outcomes).toMatchObject([
    'Renamed 1',
    failed(2, sentences.notReached),
    // The time left was too short for another wait.
    {
      id: 3,
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(/nothing (of it )?was changed/) as string,
    },
    {
      id: 4,
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(/nothing (of it )?was changed/) as string,
    },
  ]);
  expect(reported.length).toBeGreaterThanOrEqual(2);
  expect(await stored()).toEqual({
    names: ['Renamed 1', 'Product 2', 'Product 3', 'Product 4'],
    changes: 1,
  });
});

test.each([
  ['reading', read, ['pass', 'pass', { before: faults.denied }], 2],
  ['storing', store, ['pass', { before: faults.denied }], 2],
] satisfies [string, string, Fault[], number][])(
  'an unexpected error in %s one item is that item’s alone, and is reported',
  async (_, command, list, id) => {
    const { outcomes, reported } = await rename(inOrder(command, ...list));
    expect(outcomes).toEqual(['Renamed 1', failed(id, sentences.itemFailed), 'Renamed 3', 'Renamed 4']);
    expect(reported).toEqual([faults.denied]);
    expect(await stored()).toEqual({
      names: ['Renamed 1', 'Product 2', 'Renamed 3', 'Renamed 4'],
      changes: 3,
    });
  },
);

test('a lost reply that a repeat recovers is a success, stored once', async () => {
  const { outcomes, reported } = await rename(inOrder(store, 'pass', { after: faults.reset }));
  expect(outcomes).toEqual(ids.map((id) => `Renamed ${id}`));
  expect(reported).toEqual([]);
  expect((await stored()).changes).toBe(4);
});

test('a reply that is lost for good does not claim that nothing was changed', async () => {
  let writes = 0;
  const { outcomes, reported } = await rename((command) =>
    command === store && ++writes > 1 ? { after: faults.reset } : 'pass',
  );
  expect(outcomes.slice(0, 2)).toEqual(['Renamed 1', failed(2, sentences.unknownOutcome)]);
  expect(sentences.unknownOutcome).not.toContain('nothing');
  expect(reported[0]).toMatchObject({ kind: 'internal', cause: faults.reset });
  expect((await stored()).names.slice(0, 2)).toEqual(['Renamed 1', 'Renamed 2']);
});

test('a lost reply and then an unexpected error: the same, and the next items go on', async () => {
  const { outcomes } = await rename(
    inOrder(store, 'pass', { after: faults.reset }, { before: faults.denied }),
  );
  expect(outcomes).toEqual(['Renamed 1', failed(2, sentences.unknownOutcome), 'Renamed 3', 'Renamed 4']);
  expect(await stored()).toEqual({ names: ids.map((id) => `Renamed ${id}`), changes: 4 });
});

test('a failure that a client can mend is not reported', async () => {
  const reported: unknown[] = [];
  const updates = [
    { id: 99, name: 'x' },
    { id: 1, name: 'product 2' },
    { id: 1, name: '' },
  ];
  const { ledger } = organization.openLedger();
  const results = await updateProducts(ledger, { updates }, (error) => reported.push(error));
  expect(results.map((result) => result.status === 'error' && result.code)).toEqual([
    'NOT_FOUND',
    'CONFLICT',
    'VALIDATION_ERROR',
  ]);
  expect(reported).toEqual([]);
});

test('a change has its time in updatedAt; an item that changes nothing leaves it', async () => {
  const start = Date.now();
  const momentOf = (second: number) => new Date(start + second * 1000).toISOString();
  const openAt = (second: number) =>
    organization.openLedger({ system: { now: () => start + second * 1000 } }).ledger;
  const input = { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' } as const;
  const { id } = await createProduct(openAt(1), input);
  const stamps = { createdAt: momentOf(1), updatedAt: momentOf(2) };
  expect(await updateProduct(openAt(2), id, { name: 'Tap, new' })).toMatchObject(stamps);
  expect(await updateProduct(openAt(3), id, { name: 'Tap, new' })).toMatchObject(stamps);
});
