import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../shared/contract/products.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

/* `numbered-records.test.ts` has what products share with other kinds of records. */

const ours = await verifiedOrganization();
const { api } = ours;
/** The least that makes a product. */
const least = { tradeCategoryId: 2, pricingType: 'NONE' };

const create = async (body: object): Promise<Product> =>
  (await api.call('createProduct', { body: { ...least, ...body } })).product;
const update = async (productId: number, body: object) =>
  (await api.call('updateProduct', { params: { productId }, body })).product;

test('a product keeps its response, which the API does not show', async () => {
  const schema = v.object({ response: v.string() });
  const collection = { name: 'PRODUCT', label: 'product', schema };
  const { id } = await create({ name: 'Boiler', response: 'Soon' });
  const stored = async () => (await ours.openLedger().ledger.get({ collection, number: id })).response;
  expect(await stored()).toBe('Soon');
  await update(id, { description: 'New' });
  expect(await stored()).toBe('Soon');
  for (const response of ['Later', '']) {
    await update(id, { response });
    expect(await stored()).toBe(response);
  }
});

describe('the prices of a new product', () => {
  test.each([
    ['NONE', {}, 0, 0],
    ['FIXED', { price: 80.05 }, 80.05, 0],
    ['FIXED', { price: 0 }, 0, 0],
    ['RANGE', { price: 5, maxPrice: 9 }, 5, 9],
    ['RANGE', { price: 5, maxPrice: 5 }, 5, 5],
    ['RANGE', { price: 0, maxPrice: 0.01 }, 0, 0.01],
  ])('are accepted with %s: %j', async (pricingType, prices, price, maxPrice) => {
    const product = await create({
      name: `${pricingType} ${JSON.stringify(prices)}`,
      pricingType,
      ...prices,
    });
    expect(product).toMatchObject({ pricingType, price, maxPrice });
  });

  const notWith = (type: string, ...fields: string[]) =>
    fields.map((field) => `${field} does not go with pricingType ${type}`);
  const requiredWith = (type: string, ...fields: string[]) =>
    fields.map((field) => `${field} is required with pricingType ${type}`);
  test.each([
    ['NONE', { price: 5 }, notWith('NONE', 'price')],
    ['FIXED', {}, requiredWith('FIXED', 'price')],
    ['FIXED', { maxPrice: 9 }, [...requiredWith('FIXED', 'price'), ...notWith('FIXED', 'maxPrice')]],
    ['RANGE', {}, requiredWith('RANGE', 'price', 'maxPrice')],
    ['RANGE', { price: 9, maxPrice: 5 }, ['maxPrice must be at least price']],
  ])('are refused with %s: %j', async (pricingType, prices, problems) => {
    const body = { ...least, name: 'Never', pricingType, ...prices };
    await api.refuses('createProduct', { body }, ...problems);
  });
});

describe('the prices of a product that changes', () => {
  const kinds = {
    none: { pricingType: 'NONE', price: 0, maxPrice: 0 },
    fixed: { pricingType: 'FIXED', price: 50, maxPrice: 0 },
    range: { pricingType: 'RANGE', price: 50, maxPrice: 90 },
  };
  type Kind = keyof typeof kinds;
  const ids = {} as Record<Kind, number>;
  beforeAll(async () => {
    for (const kind of ['none', 'fixed', 'range'] as const)
      ids[kind] = (await create({ name: `Of kind ${kind}`, ...kinds[kind] })).id;
  });

  test.each<[Kind, object, object]>([
    ['none', { pricingType: 'FIXED', price: 7 }, { pricingType: 'FIXED', price: 7, maxPrice: 0 }],
    ['fixed', { pricingType: 'NONE' }, kinds.none],
    ['fixed', { pricingType: 'RANGE', maxPrice: 90 }, kinds.range],
    ['range', { maxPrice: 50 }, { pricingType: 'RANGE', price: 50, maxPrice: 50 }],
    ['range', { pricingType: 'FIXED' }, kinds.fixed],
  ])('%s with %j', async (kind, changes, after) => {
    expect(await update(ids[kind], changes)).toMatchObject(after);
    expect(await update(ids[kind], kinds[kind])).toMatchObject(kinds[kind]);
  });

  test.each<[Kind, object, string]>([
    ['none', { price: 1 }, 'price does not go with pricingType NONE'],
    ['fixed', { maxPrice: 60 }, 'maxPrice does not go with pricingType FIXED'],
    ['fixed', { pricingType: 'NONE', price: 50 }, 'price does not go with pricingType NONE'],
    ['fixed', { pricingType: 'RANGE' }, 'maxPrice is required with pricingType RANGE'],
    ['range', { maxPrice: 49.99 }, 'maxPrice must be at least price'],
    ['range', { pricingType: 'NONE', price: 50 }, 'price does not go with pricingType NONE'],
  ])('%s may not with %j', async (kind, body, problem) => {
    await api.refuses('updateProduct', { params: { productId: ids[kind] }, body }, problem);
    expect(await update(ids[kind], {})).toMatchObject(kinds[kind]);
  });
});

test('a price of -0 is 0, and no change of one', async () => {
  const { id } = await create({ name: 'Minus', pricingType: 'FIXED', price: 0 });
  const { cost } = await api.send('PATCH', '/v1/products/batch', {
    headers: { 'Content-Type': 'application/json' },
    body: `{"updates":[{"id":${id},"pricing":{"price":-0}}]}`,
  });
  expect(cost.writeUnits).toBe(0);
});
