import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledLine, numberInPath, pathId, readOnlyFields, recordNumber, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Categories of services, and of products';

export const categoryLabel = 'category';

export const categoryTypes = ['SERVICE', 'PRODUCT'] as const;
export const CategoryType = v.picklist(categoryTypes);
export type CategoryType = v.InferOutput<typeof CategoryType>;

/** A category of services or of products: docs/reference/catalog.md, Category. */
export const Category = v.strictObject({
  id: recordNumber,
  name: v.string(),
  type: CategoryType,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Category = v.InferOutput<typeof Category>;

/** Maximum number of categories of one organization, so that they can be read as a whole. */
export const maxCategories = 100;

export const NewCategory = v.strictObject({ name: filledLine(150), type: CategoryType });
export type NewCategory = v.InferOutput<typeof NewCategory>;

/** Body of a change of a category. Fields that are left out stay. */
export const CategoryChanges = v.partial(NewCategory);
export type CategoryChanges = v.InferOutput<typeof CategoryChanges>;

export const CategoryPage = pageSchema('categories', Category);
export const CategoryDeleted = v.strictObject({ message: v.literal('Category deleted successfully') });
export const CategoryEnvelope = v.strictObject({ category: Category });

export const descriptions = {
  CategoryType: { is: 'The content of a category: services or products' },
  Category: {
    is: 'A category of services or of products',
    fields: {
      id: 'The `tradeCategoryId` of its services or products',
      name: 'Its name, which other categories can have too',
      type: 'What it holds',
    },
  },
  NewCategory: { is: 'The body to create a category', like: 'Category' },
  CategoryChanges: {
    is: 'The body to change a category',
    like: 'Category',
    fields: { type: 'The content: services or products. Another type is a 409 while anything is in it' },
  },
  CategoryEnvelope: { is: 'A category', fields: { category: 'The category' } },
  CategoryPage: { is: 'A page of categories', fields: { categories: 'The categories of this page' } },
  CategoryDeleted: {
    is: 'The answer to the deletion of a category',
    fields: { message: 'Always the same sentence' },
  },
} satisfies Descriptions;

const categoryId = pathId(categoryLabel, numberInPath);

const example = {
  id: 3,
  name: 'Hot water',
  type: 'SERVICE',
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

export const listCategoriesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/categories',
  scope: 'categories:read',
  access: 'readPage',
  summary: 'List categories, by id ascending',
  description: '`GET /v1/organization/services` has the services of each too.',
  params: {},
  query: PageQuery,
  responses: { 200: CategoryPage },
  errors: [],
  extension: true,
  example: pageExample('categories', example),
});

export const createCategoryEndpoint = endpoint({
  method: 'POST',
  path: '/v1/categories',
  scope: 'categories:create',
  access: 'put',
  summary: 'Create a category',
  description: `Several can have one name. An organization has at most ${maxCategories} categories.`,
  params: {},
  body: NewCategory,
  readOnly: readOnlyFields(Category, NewCategory),
  responses: { 201: CategoryEnvelope },
  record: { in: 'category' },
  errors: [],
  extension: true,
  example: { body: { name: 'Hot water', type: 'SERVICE' }, response: { category: example } },
});

export const getCategoryEndpoint = endpoint({
  method: 'GET',
  path: '/v1/categories/{categoryId}',
  scope: 'categories:read',
  access: 'get',
  summary: 'Read a category',
  description: 'Without what is in it.',
  params: { categoryId },
  responses: { 200: CategoryEnvelope },
  record: { in: 'category' },
  errors: [404],
  extension: true,
  example: { params: { categoryId: '3' }, response: { category: example } },
});

export const updateCategoryEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/categories/{categoryId}',
  scope: 'categories:write',
  access: 'put',
  summary: 'Change a category',
  description:
    'Fields that are left out stay unchanged. A category can get another `type` only while it is empty. Otherwise the ' +
    'answer is a 409, and `error.details` say how many services or products the category has.',
  params: { categoryId },
  body: CategoryChanges,
  readOnly: readOnlyFields(Category, CategoryChanges),
  responses: { 200: CategoryEnvelope },
  record: { in: 'category' },
  errors: [404, 409],
  extension: true,
  example: {
    params: { categoryId: '3' },
    body: { name: 'Hot water systems' },
    response: {
      category: { ...example, name: 'Hot water systems', updatedAt: '2026-11-03T09:30:00.000Z' },
    },
  },
});

export const deleteCategoryEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/categories/{categoryId}',
  scope: 'categories:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a category',
  description:
    'While the category has services or products, the answer is a 409, and `error.details` say how many. Delete those or ' +
    'move them first.',
  params: { categoryId },
  responses: { 200: CategoryDeleted },
  record: {},
  errors: [404, 409],
  extension: true,
  example: { params: { categoryId: '3' }, response: { message: 'Category deleted successfully' } },
});
