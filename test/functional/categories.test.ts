import { expect, test } from 'vitest';
import type { CategoryType } from '../../shared/contract/categories.ts';
import { twoOrganizations } from '../support/test-organization.ts';

/* `numbered-records.test.ts` has what categories share with other kinds of records. */

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const newCategory = async (type: CategoryType, { api } = ours) =>
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

test('an organization has at most 100 categories, in pages by id ascending', async () => {
  for (let count = 2; count < 99; count++) await newCategory('PRODUCT', theirs);
  const refused = 'An organization has at most 100 categories';
  const body = { name: 'More', type: 'SERVICE' };
  // Of two requests at once, one creates the last category that is allowed.
  const answers = await Promise.all([1, 2].map(() => theirs.api.attempt('createCategory', { body })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  await theirs.api.refuses('createCategory', { body }, refused);
  await theirs.api.call('deleteCategory', { params: { categoryId: 3 } });
  expect(await newCategory('PRODUCT', theirs)).toBe(101);
  const pageOf = async (page: number) => {
    const answer = await theirs.api.call('listCategories', { query: { page, limit: 40 } });
    const { categories, ...fields } = answer;
    expect(fields).toMatchObject({ totalPages: 3, currentPage: page, totalCount: 100 });
    return categories.map(({ id }) => id);
  };
  const ids = [await pageOf(1), await pageOf(2), await pageOf(3)];
  const all = Array.from({ length: 101 }, (_, at) => at + 1).filter((id) => id !== 3);
  expect(ids).toEqual([all.slice(0, 40), all.slice(40, 80), all.slice(80)]);
  expect(await pageOf(4)).toEqual([]);
});
