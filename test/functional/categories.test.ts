import { expect, test } from 'vitest';
import type { CategoryType } from '../../shared/contract/categories.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

/* `numbered-records.test.ts` has what categories share with other kinds of records. */

const { api } = await verifiedOrganization();

const newCategory = async (type: CategoryType) =>
  (await api.call('createCategory', { body: { name: 'Gas', type } })).category.id;
const newProduct = async (name: string, tradeCategoryId: number, isActive = true) => {
  const body = { name, tradeCategoryId, isActive, pricingType: 'NONE' };
  return (await api.call('createProduct', { body })).product.id;
};

/** Expects that a category can neither go nor get another type. */
async function isUsed(categoryId: number, by: string, [field, message]: [string, string]) {
  const refusal = { status: 409, message: `The category is in use by ${by}`, details: [{ field, message }] };
  const params = { categoryId };
  const { category } = await api.call('getCategory', { params });
  const type = category.type === 'SERVICE' ? 'PRODUCT' : 'SERVICE';
  expect(await api.failure('deleteCategory', 409, { params })).toEqual(refusal);
  expect(await api.failure('updateCategory', 409, { params, body: { name: 'X', type } })).toEqual(refusal);
  expect(await api.call('getCategory', { params })).toEqual({ category });
}

test('a category stays while products are in it, in use or not', async () => {
  const categoryId = await newCategory('PRODUCT');
  const ids = [await newProduct('Tap', categoryId), await newProduct('Sink', categoryId, false)];
  await isUsed(categoryId, '2 products', ['products', '2 products use it']);
  const { category } = await api.call('updateCategory', {
    params: { categoryId },
    body: { name: 'Baths' },
  });
  expect(category).toMatchObject({ name: 'Baths', type: 'PRODUCT' });
  const move = (id: number) => ({ id, tradeCategoryId: 2, isActive: true });
  await api.call('updateProducts', { body: { updates: [move(ids[0]!)] } });
  await isUsed(categoryId, '1 product', ['products', '1 product uses it']);
  await api.call('updateProducts', { body: { updates: [move(ids[1]!)] } });
  await api.call('updateCategory', { params: { categoryId }, body: { type: 'SERVICE' } });
  await api.call('deleteCategory', { params: { categoryId } });
  await isUsed(2, '2 products', ['products', '2 products use it']);
});

test('a category stays while services are in it, and nothing can join it once it is gone', async () => {
  const [used, gone] = [await newCategory('SERVICE'), await newCategory('SERVICE')];
  await api.call('createService', { body: { name: 'Drain', tradeCategoryId: used } });
  await isUsed(used, '1 service', ['services', '1 service uses it']);
  await api.call('deleteCategory', { params: { categoryId: gone } });
  const body = { name: 'Drain', tradeCategoryId: gone };
  await api.refuses('createService', { body }, 'tradeCategoryId names no category of the organization');
  const { categories } = await api.call('listOrganizationServices');
  expect(categories.map(({ id }) => id)).toEqual([1, 2, used]);
});
