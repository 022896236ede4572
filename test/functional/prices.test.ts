import { describe, expect, test } from 'vitest';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();
const { api } = ours;
const use = (currency: string) => api.call('updateOrganization', { body: { currency } });

describe.each([
  ['JPY', [1450], [1450.5, 0.01], 'must be a whole number: JPY has no decimals'],
  ['AUD', [1450.05, 90], [1.005, 1 / 3], 'must have at most 2 decimals'],
  ['KWD', [1.005], [1.0005], 'must have at most 3 decimals'],
])('in %s', (currency, right, wrong, message) => {
  const fields = ['price', 'fixedPrice', 'callOutFee'] as const;
  const bodyOf = (field: (typeof fields)[number], price: number, name = `${currency} ${field} ${price}`) =>
    field === 'price'
      ? { name, tradeCategoryId: 2, pricingType: 'FIXED', price }
      : { name, tradeCategoryId: 1, pricingMode: 'FIXED', fixedPrice: 1, [field]: price };
  const operationOf = (field: string) => (field === 'price' ? 'createProduct' : 'createService');

  test.each(fields)('%s has the decimals of the currency', async (field) => {
    await use(currency);
    for (const price of right)
      expect(await api.call(operationOf(field), { body: bodyOf(field, price) })).toMatchObject({
        [field === 'price' ? 'product' : 'service']: { [field]: price },
      });
    for (const price of wrong)
      await api.refuses(operationOf(field), { body: bodyOf(field, price) }, `${field} ${message}`);
  });
});

test('a price that stays may keep the decimals of an earlier currency', async () => {
  await use('AUD');
  const category = { tradeCategoryId: 2, pricingType: 'RANGE' };
  const body = { name: 'Tap', ...category, price: 9.5, maxPrice: 12.25 };
  const { product } = await api.call('createProduct', { body });
  const service = { name: 'Tap', tradeCategoryId: 1, pricingMode: 'FIXED', fixedPrice: 9.5, callOutFee: 1.5 };
  const { service: fitted } = await api.call('createService', { body: service });
  await use('JPY');
  const params = { productId: product.id };
  const sent = { price: 9.5, maxPrice: 13 };
  expect(await api.call('updateProduct', { params, body: sent })).toMatchObject({ product: sent });
  const ofService = { params: { serviceId: fitted.id } };
  const back = { fixedPrice: 9.5, callOutFee: 1.5 };
  expect(await api.call('updateService', { ...ofService, body: back })).toMatchObject({
    service: back,
  });
  await api.refuses(
    'updateService',
    { ...ofService, body: { ...back, callOutFee: 2.5 } },
    'callOutFee must be a whole number: JPY has no decimals',
  );
});
