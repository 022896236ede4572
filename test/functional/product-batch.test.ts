import { describe, expect, test } from 'vitest';
import type { Product } from '../../shared/contract/products.ts';
import { createProduct } from '../../shared/domain/products/products.ts';
import { events } from '../../shared/ledger/index.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();
const { api } = ours;

/** Creates a product with this name, without a price. */
const create = (name: string, organization = ours): Promise<Product> =>
  createProduct(organization.openLedger().ledger, { name, tradeCategoryId: 2, pricingType: 'NONE' });
const patch = (updates: unknown, { api } = ours) => api.call('updateProducts', { body: { updates } });
/** Reads a product: a change of nothing returns it. */
const read = async (productId: number, { api } = ours) =>
  (await api.call('updateProduct', { params: { productId }, body: {} })).product;
const eventCount = async () =>
  (await ours.openLedger().ledger.page(events, { page: 1, limit: 1 })).totalCount;

const updatedAt = expect.any(String) as string;
const done = (product: Product, changes: object = {}) => ({
  id: product.id,
  status: 'ok',
  product: { ...product, ...changes, updatedAt },
});
const failed = (id: number, code: string, message: string) => ({ id, status: 'error', code, message });
const notFound = (id: number) => failed(id, 'NOT_FOUND', 'Trade product not found');

describe('a batch', () => {
  test('has a result for each of its items, in their order; a failing one undoes nothing', async () => {
    const [first, second, third] = [await create('Heater'), await create('Boiler'), await create('Pump')];
    const faqs = [{ question: 'Gas?', answer: 'Yes' }];
    const prices = { pricingType: 'FIXED', price: 450.5, isDisclosePrice: true };
    const { results, summary } = await patch([
      { id: third.id, name: 'Big pump', description: 'New', isActive: false },
      { id: 4711, name: 'Never' },
      { id: first.id, name: 'BOILER', isActive: false },
      { id: second.id, pricing: prices },
      { id: first.id, nmae: 'Heater' },
      { id: 4711, nmae: 'Heater' },
      { id: first.id, pricing: { price: 5 } },
      { id: first.id, faqs, response: 'Soon' },
    ]);
    expect(results).toEqual([
      done(third, { name: 'Big pump', description: 'New', isActive: false }),
      notFound(4711),
      failed(first.id, 'CONFLICT', 'Another product has this name in the same category'),
      done(second, prices),
      failed(first.id, 'VALIDATION_ERROR', 'nmae is not a known field; did you mean name?'),
      failed(4711, 'VALIDATION_ERROR', 'nmae is not a known field; did you mean name?'),
      failed(first.id, 'VALIDATION_ERROR', 'pricing.price does not go with pricingType NONE'),
      done(first, { faqs }),
    ]);
    expect(summary).toEqual({ total: 8, succeeded: 3, failed: 5 });
    for (const result of results)
      if (result.status === 'ok') expect(await read(result.id)).toEqual(result.product);
  });

  test('may name a product twice: both changes are made, in order', async () => {
    const { id } = await create('Tap');
    const { results, summary } = await patch([
      { id, name: 'Tap, old', pricing: { pricingType: 'FIXED', price: 10 } },
      { id, pricing: { pricingType: 'RANGE', maxPrice: 20 } },
      { id, name: 'Tap, new' },
    ]);
    expect(results).toMatchObject([
      { product: { name: 'Tap, old', pricingType: 'FIXED', price: 10, maxPrice: 0 } },
      { product: { name: 'Tap, old', pricingType: 'RANGE', price: 10, maxPrice: 20 } },
      { product: { name: 'Tap, new', pricingType: 'RANGE', price: 10, maxPrice: 20 } },
    ]);
    expect(summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    expect(await read(id)).toMatchObject({ name: 'Tap, new', price: 10, maxPrice: 20 });
  });

  test('succeeds for items that change nothing, without events', async () => {
    const hose = await create('Hose');
    const { id, name, tradeCategoryId, faqs, isActive, createdAt, updatedAt } = hose;
    const before = await eventCount();
    const { results } = await patch([
      { id },
      { id, pricing: {} },
      { id, name, tradeCategoryId, faqs, isActive, createdAt, updatedAt, pricing: { price: 0 } },
    ]);
    expect(results).toEqual(Array(3).fill({ id, status: 'ok', product: hose }));
    expect(await eventCount()).toBe(before);
  });

  test('of 20 items takes two calls for each', async () => {
    const ours = await verifiedOrganization();
    const [one, other] = [await create('One', ours), await create('Other', ours)];
    const updates = Array.from({ length: 20 }, (_, at) => ({
      id: (at % 2 === 0 ? one : other).id,
      name: `Renamed ${at}`,
      pricing: { pricingType: 'FIXED', price: at },
    }));
    const { body, cost } = await ours.api.answer('updateProducts', { body: { updates } });
    const names = body.results.map((result) => result.status === 'ok' && result.product.name);
    expect(names).toEqual(updates.map(({ name }) => name));
    expect(body.summary).toEqual({ total: 20, succeeded: 20, failed: 0 });
    // The extra call reads the head.
    expect(cost.calls).toBe(41);
    expect(await read(other.id, ours)).toMatchObject({ name: 'Renamed 19', price: 19 });
  });

  test('finds and changes no product of another organization', async () => {
    const { ours, theirs } = await twoOrganizations();
    const products = [await create('A', ours), await create('B', ours)];
    const other = await create('A', theirs);
    const changes = [1, 2].map((id) => ({ id, name: 'Changed' }));
    const { results } = await patch(changes, theirs);
    expect(results).toEqual([done(other, { name: 'Changed' }), notFound(2)]);
    expect((await patch(products, theirs)).summary.succeeded).toBe(0);
    for (const product of products) expect(await read(product.id, ours)).toEqual(product);
  });
});

test.each<[object, string]>([
  [{ tradeCategoryId: 4711 }, 'tradeCategoryId names no category of the organization'],
  [{ pricing: 5 }, 'pricing must be an object'],
  [{ pricing: { pricingType: 'HOURLY' } }, 'pricing.pricingType must be one of NONE, FIXED, RANGE'],
  [{ pricing: { pricingType: 'FIXED', price: 0.001 } }, 'pricing.price must have at most 2 decimals'],
  [{ pricing: { pricingType: 'FIXED' } }, 'pricing.price is required with pricingType FIXED'],
  [
    { pricing: { pricingType: 'RANGE', price: 2, maxPrice: 1 } },
    'pricing.maxPrice must be at least pricing.price',
  ],
  [{ faqs: [{ question: 'Q' }] }, 'faqs.0.answer is required'],
])('an item with %j is wrong, and changes nothing', async (changes, message) => {
  const product = await create(JSON.stringify(changes).slice(0, 100));
  const { id } = product;
  expect(await patch([{ id, isActive: false, ...changes }])).toEqual({
    results: [failed(id, 'VALIDATION_ERROR', message)],
    summary: { total: 1, succeeded: 0, failed: 1 },
  });
  expect(await read(id)).toEqual(product);
});

describe('a batch that is refused completely', () => {
  test.each([1, 60])(
    'is one of more than 100 items whatever else is wrong (%i unknown fields)',
    async (count) => {
      const unknown = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]));
      const body = { ...unknown, updates: Array(101).fill({ id: 1 }) };
      const { details, ...error } = await api.failure('updateProducts', 400, { body });
      expect(error).toEqual({ status: 400, message: 'The batch exceeds 100 items', code: 'BATCH_TOO_LARGE' });
      expect(details).toHaveLength(Math.min(count + 1, 50));
    },
  );

  const ok = { id: 1, name: 'Changed' };
  test.each([
    [{ updates: [] }, 'updates must be at least 1 long'],
    [{ updates: [ok, 7] }, 'updates.1 must be an object'],
    [{ updates: [ok, { name: 'x' }] }, 'updates.1.id is required'],
    [{ updates: [{ ...ok, id: '1' }, ok] }, 'updates.0.id must be a number'],
  ])('is %j', async (body, problem) => {
    await api.refuses('updateProducts', { body }, problem);
  });
});
