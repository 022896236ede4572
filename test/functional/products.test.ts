import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import {
  createProductEndpoint,
  updateProductEndpoint,
  type Product,
} from '../../shared/contract/products.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';
import { events } from '../../shared/ledger/index.ts';

/** The category for products of every new organization. */
const goods = 2;

let world: World;
/** A second category for products, in our organization only. */
let spares: number;
beforeAll(async () => {
  world = await setup();
  const { ledger } = world.ours.openLedger();
  spares = (await createCategory(ledger, { name: 'Spares', type: 'PRODUCT' })).id;
});

const create = async (body: object, { api }: TestOrganization = world.ours): Promise<Product> => {
  const presets = { tradeCategoryId: goods, pricingType: 'NONE' };
  return (await api.call(createProductEndpoint, { body: { ...presets, ...body } })).product;
};
const update = async (productId: number, body: object, { api }: TestOrganization = world.ours) =>
  (await api.call(updateProductEndpoint, { params: { productId }, body })).product;

/** Events of the organization, newest first. */
const history = (organization: TestOrganization) =>
  organization.openLedger().ledger.page(events, { page: 1, limit: 100 });

/** The stored `response` of a product, which the API does not show. */
const responseOf = async (number: number) => {
  const schema = v.object({ response: v.string() });
  const collection = { name: 'PRODUCT', label: 'product', schema };
  return (await world.ours.openLedger().ledger.get({ collection, number })).response;
};

describe('a product', () => {
  test('is created with all given fields', async () => {
    const faqs = [{ question: 'Is the old one\ntaken away?', answer: ' Yes. ' }];
    const product = await create({
      name: '  Heater, 250 l ',
      description: ' Gas\nstorage ',
      response: 'We fit it within two days.',
      faqs,
      pricingType: 'RANGE',
      price: 1450.5,
      maxPrice: 1900,
      isDisclosePrice: true,
      isActive: false,
    });
    expect(product).toEqual({
      id: product.id,
      name: 'Heater, 250 l',
      description: ' Gas\nstorage ',
      tradeCategoryId: goods,
      pricingType: 'RANGE',
      price: 1450.5,
      maxPrice: 1900,
      isDisclosePrice: true,
      faqs,
      isActive: false,
      createdAt: product.createdAt,
      updatedAt: product.createdAt,
    });
    expect(Math.abs(Date.parse(product.createdAt) - Date.now())).toBeLessThan(60_000);
    expect(await responseOf(product.id)).toBe('We fit it within two days.');
  });

  test('is created with defaults for the rest, and the next number', async () => {
    const { ours } = await setup();
    const product = await create({ name: 'Tap' }, ours);
    expect(product).toEqual({
      id: 1,
      name: 'Tap',
      description: '',
      tradeCategoryId: goods,
      pricingType: 'NONE',
      price: 0,
      maxPrice: 0,
      isDisclosePrice: false,
      faqs: [],
      isActive: true,
      createdAt: product.createdAt,
      updatedAt: product.createdAt,
    });
    expect(await create({ name: 'Sink' }, ours)).toMatchObject({ id: 2 });
  });

  test('is changed in the given fields only', async () => {
    const product = await create({ name: 'Boiler', description: 'Old', response: 'Soon', faqs: [] });
    const faqs = [{ question: 'Gas?', answer: 'Yes' }];
    const changes = { name: 'Boiler, new', description: '', faqs, isDisclosePrice: true, isActive: false };
    const changed = await update(product.id, changes);
    expect(changed).toEqual({ ...product, ...changes, updatedAt: changed.updatedAt });
    expect(changed.updatedAt).not.toBe(product.updatedAt);
    expect(await update(product.id, {})).toEqual(changed);
    expect(await responseOf(product.id)).toBe('Soon');

    await update(product.id, { response: 'Later' });
    expect(await responseOf(product.id)).toBe('Later');
    await update(product.id, { response: '' });
    expect(await responseOf(product.id)).toBe('');
  });

  test('stays as it is, without an event, if nothing changes', async () => {
    const given = { name: 'Valve', pricingType: 'RANGE', price: 1.1, maxPrice: 2.2, response: 'Yes' };
    const product = await create({ ...given, faqs: [{ question: 'A?', answer: 'B' }] });
    const { totalCount } = await history(world.ours);
    for (const body of [{}, product, given, { tradeCategoryId: goods }]) {
      expect(await update(product.id, body)).toEqual(product);
    }
    expect((await history(world.ours)).totalCount).toBe(totalCount);
  });

  test('can be sent back as it was read, whatever its read-only fields say', async () => {
    const product = await create({ name: 'Hose', pricingType: 'FIXED', price: 3 });
    const copy = await create({ ...product, name: 'Hose, copy' });
    expect(copy).toEqual({
      ...product,
      id: product.id + 1,
      name: 'Hose, copy',
      createdAt: copy.createdAt,
      updatedAt: copy.updatedAt,
    });
    const body = { ...product, id: copy.id, createdAt: 0, updatedAt: null, name: 'Hose, long' };
    const changed = await update(product.id, body);
    expect(changed).toEqual({ ...product, name: 'Hose, long', updatedAt: changed.updatedAt });
    expect(await update(copy.id, {})).toEqual(copy);
  });

  test('may be as large as its contract says', async () => {
    const faqs = Array.from({ length: 10 }, () => ({ question: '€'.repeat(255), answer: '€'.repeat(1000) }));
    // Such a character becomes six bytes of a key, the most that one can.
    const name = '\uFB2C'.repeat(150);
    const largest = { name, description: '€'.repeat(2000), faqs };
    const body = { ...largest, response: '€'.repeat(5000), price: 999_999_999.99, maxPrice: 1_000_000_000 };
    const product = await create({ ...body, pricingType: 'RANGE' });
    expect(product).toMatchObject(largest);
    expect(await update(product.id, {})).toEqual(product);
  });

  test('has an event when it is created and when it is changed', async () => {
    const product = await create({ name: 'Drain' });
    await update(product.id, { isActive: false });
    const { items } = await history(world.ours);
    const by = { referenceId: String(product.id), userId: world.ours.userId };
    expect(items.slice(0, 2)).toMatchObject([
      { event: 'PRODUCT_UPDATED', data: 'The product was changed', ...by },
      { event: 'PRODUCT_CREATED', data: 'The product was created', ...by },
    ]);
  });
});

describe('the prices of a new product', () => {
  test.each([
    ['NONE', {}, 0, 0],
    ['NONE', { price: 0, maxPrice: 0 }, 0, 0],
    ['FIXED', { price: 80.05 }, 80.05, 0],
    ['FIXED', { price: 80, maxPrice: 0 }, 80, 0],
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

  const price = (message: string) => ({ field: 'price', message });
  const maxPrice = (message: string) => ({ field: 'maxPrice', message });
  test.each([
    ['NONE', { price: 5 }, [price('does not go with pricingType NONE')]],
    ['NONE', { maxPrice: 5 }, [maxPrice('does not go with pricingType NONE')]],
    [
      'NONE',
      { price: 5, maxPrice: 9 },
      [price('does not go with pricingType NONE'), maxPrice('does not go with pricingType NONE')],
    ],
    ['FIXED', {}, [price('is required with pricingType FIXED')]],
    ['FIXED', { price: 5, maxPrice: 9 }, [maxPrice('does not go with pricingType FIXED')]],
    [
      'FIXED',
      { maxPrice: 9 },
      [price('is required with pricingType FIXED'), maxPrice('does not go with pricingType FIXED')],
    ],
    [
      'RANGE',
      {},
      [price('is required with pricingType RANGE'), maxPrice('is required with pricingType RANGE')],
    ],
    ['RANGE', { price: 5 }, [maxPrice('is required with pricingType RANGE')]],
    ['RANGE', { maxPrice: 9 }, [price('is required with pricingType RANGE')]],
    ['RANGE', { price: 9, maxPrice: 5 }, [maxPrice('must be at least price')]],
    ['RANGE', { price: 0.01, maxPrice: 0 }, [maxPrice('must be at least price')]],
  ])('are refused with %s: %j', async (pricingType, prices, details) => {
    const body = { name: 'Never', tradeCategoryId: goods, pricingType, ...prices };
    const error = await world.ours.api.failure(createProductEndpoint, 400, { body });
    expect(error).toEqual({ status: 400, message: `${details[0]!.field} ${details[0]!.message}`, details });
  });
});

describe('the prices of a product that changes', () => {
  const kinds = {
    none: { pricingType: 'NONE', price: 0, maxPrice: 0 },
    fixed: { pricingType: 'FIXED', price: 50, maxPrice: 0 },
    range: { pricingType: 'RANGE', price: 50, maxPrice: 90 },
  };
  type Kind = keyof typeof kinds;
  let products: Record<Kind, Product>;
  beforeAll(async () => {
    products = {
      none: await create({ name: 'Without a price', ...kinds.none }),
      fixed: await create({ name: 'With a price', ...kinds.fixed }),
      range: await create({ name: 'With a range', ...kinds.range }),
    };
  });

  test.each<[Kind, object, object]>([
    ['none', { pricingType: 'FIXED', price: 7 }, { pricingType: 'FIXED', price: 7, maxPrice: 0 }],
    ['none', { ...kinds.none, pricingType: 'FIXED' }, { pricingType: 'FIXED', price: 0, maxPrice: 0 }],
    ['none', { pricingType: 'RANGE', price: 7, maxPrice: 8 }, { price: 7, maxPrice: 8 }],
    ['fixed', { price: 60 }, { pricingType: 'FIXED', price: 60, maxPrice: 0 }],
    ['fixed', { pricingType: 'NONE' }, kinds.none],
    ['fixed', { pricingType: 'NONE', price: 0 }, kinds.none],
    ['fixed', { pricingType: 'RANGE', maxPrice: 90 }, kinds.range],
    ['fixed', { pricingType: 'RANGE', price: 40, maxPrice: 45 }, { price: 40, maxPrice: 45 }],
    ['range', { maxPrice: 50 }, { pricingType: 'RANGE', price: 50, maxPrice: 50 }],
    ['range', { price: 90 }, { pricingType: 'RANGE', price: 90, maxPrice: 90 }],
    ['range', { price: 100, maxPrice: 200 }, { pricingType: 'RANGE', price: 100, maxPrice: 200 }],
    ['range', { pricingType: 'FIXED' }, kinds.fixed],
    ['range', { pricingType: 'FIXED', price: 95, maxPrice: 0 }, { price: 95, maxPrice: 0 }],
    ['range', { pricingType: 'NONE' }, kinds.none],
  ])('%s with %j', async (kind, changes, after) => {
    const { id } = products[kind];
    expect(await update(id, changes)).toMatchObject(after);
    expect(await update(id, kinds[kind])).toMatchObject(kinds[kind]);
  });

  test.each<[Kind, object, string]>([
    ['none', { price: 1 }, 'price does not go with pricingType NONE'],
    ['none', { maxPrice: 1 }, 'maxPrice does not go with pricingType NONE'],
    ['none', { pricingType: 'FIXED' }, 'price is required with pricingType FIXED'],
    ['none', { pricingType: 'RANGE', price: 1 }, 'maxPrice is required with pricingType RANGE'],
    ['none', { pricingType: 'RANGE', maxPrice: 1 }, 'price is required with pricingType RANGE'],
    ['fixed', { maxPrice: 60 }, 'maxPrice does not go with pricingType FIXED'],
    ['fixed', { pricingType: 'NONE', price: 50 }, 'price does not go with pricingType NONE'],
    ['fixed', { pricingType: 'RANGE' }, 'maxPrice is required with pricingType RANGE'],
    ['fixed', { pricingType: 'RANGE', maxPrice: 49.99 }, 'maxPrice must be at least price'],
    ['range', { maxPrice: 49.99 }, 'maxPrice must be at least price'],
    ['range', { price: 90.01 }, 'maxPrice must be at least price'],
    ['range', { pricingType: 'FIXED', maxPrice: 90 }, 'maxPrice does not go with pricingType FIXED'],
    ['range', { pricingType: 'NONE', price: 50 }, 'price does not go with pricingType NONE'],
  ])('%s may not with %j', async (kind, body, message) => {
    const { id } = products[kind];
    const error = await world.ours.api.failure(updateProductEndpoint, 400, {
      params: { productId: id },
      body,
    });
    expect(error.message).toBe(message);
    expect(await update(id, {})).toMatchObject(kinds[kind]);
  });
});

describe('a name', () => {
  const conflict = (existingId: number) => ({
    status: 409,
    message: 'Another product has this name in the same category',
    details: [{ field: 'name', message: 'is taken' }],
    existingId,
  });

  test('is unique in its category, in any case, and free in another', async () => {
    const { api } = world.ours;
    const { id } = await create({ name: 'Zoë’s Tap' });
    for (const name of ['Zoë’s Tap', ' ZOË’S TAP ', 'zoe\u0308’s tap']) {
      const body = { name, tradeCategoryId: goods, pricingType: 'NONE' };
      expect(await api.failure(createProductEndpoint, 409, { body })).toEqual(conflict(id));
    }
    expect(await create({ name: 'Zoë’s Tap', tradeCategoryId: spares })).toMatchObject({ id: id + 1 });
    await create({ name: 'Zoë’s Tap' }, world.theirs);
  });

  test('is free again once its product has another name or category', async () => {
    const product = await create({ name: 'Pump' });
    await update(product.id, { name: 'Big pump' });
    const second = await create({ name: 'PUMP' });
    await update(second.id, { tradeCategoryId: spares });
    await create({ name: 'pump' });

    const params = { productId: product.id };
    const taken = { name: 'pump', tradeCategoryId: spares };
    expect(await world.ours.api.failure(updateProductEndpoint, 409, { params, body: taken })).toEqual(
      conflict(second.id),
    );
  });

  test('that is taken leaves the refused product unchanged', async () => {
    const { api } = world.ours;
    const [first, second] = [await create({ name: 'Filter' }), await create({ name: 'Grille' })];
    const third = await create({ name: 'Filter', tradeCategoryId: spares });
    const renamed = { params: { productId: second.id }, body: { name: 'FILTER', isActive: false } };
    expect(await api.failure(updateProductEndpoint, 409, renamed)).toEqual(conflict(first.id));
    const moved = { params: { productId: third.id }, body: { tradeCategoryId: goods } };
    expect(await api.failure(updateProductEndpoint, 409, moved)).toEqual(conflict(first.id));
    expect(await update(second.id, {})).toEqual(second);
    expect(await update(third.id, {})).toEqual(third);
    // The names are still taken.
    for (const { name, tradeCategoryId, id } of [second, third]) {
      const body = { name, tradeCategoryId, pricingType: 'NONE' };
      expect(await api.failure(createProductEndpoint, 409, { body })).toEqual(conflict(id));
    }
  });

  test('may change its case, and stays taken', async () => {
    const { id } = await create({ name: 'Cistern' });
    expect(await update(id, { name: 'CISTERN' })).toMatchObject({ name: 'CISTERN' });
    const body = { name: 'cistern', tradeCategoryId: goods, pricingType: 'NONE' };
    expect(await world.ours.api.failure(createProductEndpoint, 409, { body })).toEqual(conflict(id));
  });
});

describe('a category', () => {
  test('can be changed, with the name or without', async () => {
    const product = await create({ name: 'Float' });
    const moved = await update(product.id, { tradeCategoryId: spares });
    expect(moved).toEqual({ ...product, tradeCategoryId: spares, updatedAt: moved.updatedAt });
    const back = await update(product.id, { tradeCategoryId: goods, name: 'Float valve' });
    expect(back).toMatchObject({ tradeCategoryId: goods, name: 'Float valve' });
  });

  test.each([
    ['that does not exist', () => 999_999_999_999, () => world.ours],
    ["of another organization's", () => spares, () => world.theirs],
  ])('%s is 400, and nothing is stored', async (_, categoryOf, organizationOf) => {
    const organization = organizationOf();
    const product = await create({ name: `Of a category ${_}` }, organization);
    const { totalCount } = await history(organization);
    const message = 'names no category of the organization';
    const error = {
      status: 400,
      message: `tradeCategoryId ${message}`,
      details: [{ field: 'tradeCategoryId', message }],
    };
    const body = { name: 'Stray', pricingType: 'NONE', tradeCategoryId: categoryOf() };
    expect(await organization.api.failure(createProductEndpoint, 400, { body })).toEqual(error);
    const params = { productId: product.id };
    expect(await organization.api.failure(updateProductEndpoint, 400, { params, body })).toEqual(error);
    expect(await update(product.id, {}, organization)).toEqual(product);
    expect((await history(organization)).totalCount).toBe(totalCount);
  });
});

describe('a body', () => {
  let product: Product;
  beforeAll(async () => {
    product = await create({ name: 'As it was', pricingType: 'RANGE', price: 10, maxPrice: 20 });
  });
  const text = 'must be a string';
  const faq = { question: 'Q', answer: 'A' };

  test.each([
    ['name', 7, text],
    ['name', ' ', 'must not be empty'],
    ['name', 'x'.repeat(151), 'must be at most 150 long'],
    ['name', 'a\nb', 'must be a single line of text'],
    ['name', '\ud800', 'must be valid Unicode text'],
    ['tradeCategoryId', '2', 'must be a number'],
    ['tradeCategoryId', 0, 'must be at least 1'],
    ['tradeCategoryId', 1.5, 'must be a whole number'],
    ['tradeCategoryId', 1e12, 'must be at most 999999999999'],
    ['pricingType', 'HOURLY', 'must be one of NONE, FIXED, RANGE'],
    ['pricingType', 'fixed', 'must be one of NONE, FIXED, RANGE'],
    ['price', '15', 'must be a number'],
    ['price', -0.01, 'must be at least 0'],
    ['price', 15.005, 'must have at most two decimals'],
    ['price', 1_000_000_001, 'must be at most 1000000000'],
    ['maxPrice', -1, 'must be at least 0'],
    ['maxPrice', 1 / 3, 'must have at most two decimals'],
    ['maxPrice', 1_000_000_000.01, 'must be at most 1000000000'],
    ['isDisclosePrice', 'true', 'must be true or false'],
    ['isActive', 1, 'must be true or false'],
    ['description', 'x'.repeat(2001), 'must be at most 2000 long'],
    ['response', 1, text],
    ['response', 'x'.repeat(5001), 'must be at most 5000 long'],
    ['faqs', {}, 'must be an array'],
    ['faqs', Array(11).fill(faq), 'must be at most 10 long'],
    ['faqs.0', ['Q'], 'must be an object'],
    ['faqs.1.answer', [faq, { question: 'Q' }], 'is required'],
    ['faqs.0.question', [{ ...faq, question: ' ' }], 'must not be empty'],
    ['faqs.0.question', [{ ...faq, question: 'x'.repeat(256) }], 'must be at most 255 long'],
    ['faqs.0.answer', [{ ...faq, answer: 'x'.repeat(1001) }], 'must be at most 1000 long'],
    ['faqs.0.id', [{ ...faq, id: 1 }], 'is not a known field'],
    ['nmae', 'Tap', 'is not a known field'],
    ['pricing', { price: 15 }, 'is not a known field'],
  ])('with a wrong %s: %j', async (field, value, message) => {
    const body = {
      ...{ name: 'Never', tradeCategoryId: goods, pricingType: 'RANGE', price: 10, maxPrice: 20 },
      [field.split('.')[0]!]: value,
    };
    const error = { status: 400, message: `${field} ${message}`, details: [{ field, message }] };
    const { api } = world.ours;
    expect(await api.failure(createProductEndpoint, 400, { body })).toEqual(error);
    const params = { productId: product.id };
    expect(await api.failure(updateProductEndpoint, 400, { params, body })).toEqual(error);
  });

  test('that is invalid changes nothing', async () => {
    expect(await update(product.id, {})).toEqual(product);
    await create({ name: 'Never' });
  });

  test.each(['name', 'tradeCategoryId', 'pricingType'])('without %s makes no product', async (field) => {
    const whole = { name: 'Never', tradeCategoryId: goods, pricingType: 'NONE' };
    const body = { ...whole, [field]: undefined };
    const { details } = await world.ours.api.failure(createProductEndpoint, 400, { body });
    expect(details).toEqual([{ field, message: 'is required' }]);
  });

  test('gets all its problems named', async () => {
    const body = { name: '', pricingType: 'X', price: -1, oops: 1 };
    const { details = [] } = await world.ours.api.failure(createProductEndpoint, 400, { body });
    expect(details.map(({ field }) => field)).toEqual([
      'name',
      'tradeCategoryId',
      'pricingType',
      'price',
      'oops',
    ]);
  });
});

test.each(['0', '01', '-1', '1.5', '1e3', 'one', '%', '999999999999', '1000000000000', 'batch'])(
  'no product has the id %s',
  async (productId) => {
    const { api } = world.ours;
    expect(await api.failure(updateProductEndpoint, 404, { params: { productId }, body: {} })).toEqual({
      status: 404,
      message: 'There is no such product',
    });
  },
);

test("another organization's product is unknown, and stays unchanged", async () => {
  const { ours, theirs } = await setup();
  const products = [await create({ name: 'A' }, ours), await create({ name: 'B' }, ours)];
  // Both organizations have a product with this number.
  const other = await create({ name: 'A' }, theirs);
  expect(other.id).toBe(products[0]!.id);
  const { totalCount } = await history(ours);

  for (const body of [{}, { name: 'C' }, { tradeCategoryId: 999 }, { price: 5 }, products[1]!]) {
    const params = { productId: products[1]!.id };
    const answer = await theirs.api.failure(updateProductEndpoint, 404, { params, body });
    expect(answer).toEqual(
      await theirs.api.failure(updateProductEndpoint, 404, { params: { productId: 77 }, body }),
    );
  }
  await update(other.id, { name: 'Changed' }, theirs);
  for (const product of products) expect(await update(product.id, {}, ours)).toEqual(product);
  expect((await history(ours)).totalCount).toBe(totalCount);
});
