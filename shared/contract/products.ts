import * as v from 'valibot';
import { BatchCode, batchOf, BatchSummary } from './batch.ts';
import { endpoint } from './endpoint.ts';
import {
  filledText,
  numberInPath,
  pathId,
  price,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueName,
} from './fields.ts';
import { CatalogPageQuery, pageExample, pageSchema } from './pagination.ts';
import { inAnySpelling, type Descriptions } from './descriptions.ts';

export const tagDescription = 'Products that the organization sells';

export const productLabel = 'product';

export const pricingTypes = ['NONE', 'FIXED', 'RANGE'] as const;
export const PricingType = v.picklist(pricingTypes);
export type PricingType = (typeof pricingTypes)[number];

/** A question about a product, and its answer. */
export const ProductFaq = v.strictObject({ question: v.string(), answer: v.string() });

/** A product: docs/reference/catalog.md, Product. Prices that do not apply are 0. */
export const Product = v.strictObject({
  id: recordNumber,
  name: v.string(),
  description: v.string(),
  tradeCategoryId: recordNumber,
  pricingType: PricingType,
  price,
  maxPrice: price,
  isDisclosePrice: v.boolean(),
  faqs: v.array(ProductFaq),
  isActive: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Product = v.InferOutput<typeof Product>;

// The response to a batch holds 100 products, and must fit in a function's 6 MB.
const description = v.optional(text(2000));
const response = v.optional(text(5000));
export const NewProductFaq = v.strictObject({ question: filledText(255), answer: filledText(1000) });
const faqs = v.optional(v.pipe(v.array(NewProductFaq), v.maxLength(10)));
const prices = {
  price: v.optional(price),
  maxPrice: v.optional(price),
  isDisclosePrice: v.optional(v.boolean()),
};
const isActive = v.optional(v.boolean());

export const NewProduct = v.strictObject({
  name: uniqueName,
  tradeCategoryId: recordNumber,
  pricingType: PricingType,
  ...prices,
  description,
  response,
  faqs,
  isActive,
});
export type NewProduct = v.InferOutput<typeof NewProduct>;

/** Body of a change of a product. Fields that are left out stay. */
export const ProductChanges = v.partial(NewProduct);
export type ProductChanges = v.InferOutput<typeof ProductChanges>;

const ignored = v.optional(
  v.pipe(v.unknown(), v.metadata({ type: 'string', format: 'date-time', readOnly: true })),
);

/** Id of a product in a batch. An impossible id fails only its own item. */
const itemId = v.pipe(v.number(), v.safeInteger());

export const ProductPricing = v.strictObject({
  pricingType: ProductChanges.entries.pricingType,
  ...prices,
});

/** One item of a batch: the product's id and its changes. Timestamps may be sent back. */
export const ProductUpdate = v.strictObject({
  id: itemId,
  createdAt: ignored,
  updatedAt: ignored,
  name: ProductChanges.entries.name,
  tradeCategoryId: ProductChanges.entries.tradeCategoryId,
  pricing: v.optional(ProductPricing),
  description,
  response,
  faqs,
  isActive,
});
export type ProductUpdate = v.InferOutput<typeof ProductUpdate>;

/** Body of a batch. Each item is validated only when it is carried out. */
export const ProductBatch = v.strictObject({
  updates: batchOf('ProductUpdate'),
});
export type ProductBatch = v.InferOutput<typeof ProductBatch>;

/** Ids in the body of a batch. The ids are checked first, because each result names its item by the id. */
export const ProductBatchIds = v.object({ updates: v.array(v.object({ id: itemId })) });

export const BatchSuccess = v.strictObject({ id: recordNumber, status: v.literal('ok'), product: Product });
export const BatchFailure = v.strictObject({
  id: itemId,
  status: v.literal('error'),
  code: BatchCode,
  message: v.string(),
});

/** Result of one item of a batch. */
export const BatchResult = v.variant('status', [BatchSuccess, BatchFailure]);
export type BatchResult = v.InferOutput<typeof BatchResult>;

/** Result of a batch. */
export const BatchReport = v.strictObject({ results: v.array(BatchResult), summary: BatchSummary });

export const ProductPage = pageSchema('products', Product);
export const ProductDeleted = v.strictObject({ message: v.literal('Product deleted successfully') });
export const ProductEnvelope = v.strictObject({ product: Product });

export const descriptions = {
  PricingType: { is: 'How a product is priced: not at all, at a fixed price, or within a range' },
  ProductFaq: {
    is: 'A question about a product, and its answer',
    fields: { question: 'The question', answer: 'The answer' },
  },
  NewProductFaq: { is: 'A question about a product, and its answer, as a body has them', like: 'ProductFaq' },
  Product: {
    is: 'A product that the organization sells',
    fields: {
      name: 'Its name, which no other live product of its category has',
      description: 'What it is',
      tradeCategoryId: 'The category that it belongs to, of the type PRODUCT',
      pricingType: 'How it is priced',
      price: 'The price where `pricingType` is FIXED, the least where it is RANGE, or else 0',
      maxPrice: 'The most where `pricingType` is RANGE, or else 0',
      isDisclosePrice: 'Whether the assistant tells the price',
      faqs: 'Questions about it, and their answers',
    },
  },
  NewProduct: {
    is: 'The body to create a product',
    like: 'Product',
    fields: {
      response: "The assistant's words about the product; stored, and not part of an answer",
      isActive: 'Whether it is in use; true when not given',
    },
  },
  ProductChanges: {
    is: 'The body to change a product',
    like: 'Product',
    fields: { response: "The assistant's words about the product; stored, and not part of an answer" },
  },
  ProductPricing: { is: "The changed fields of a product's price", like: 'Product' },
  ProductUpdate: {
    is: 'One item of a batch: the product it is about, and what changes',
    like: 'ProductChanges',
    fields: { id: 'The product that it is about', pricing: 'The changed fields of its price' },
  },
  ProductBatch: {
    is: 'The body to change several products',
    fields: { updates: 'The changes, which are carried out in this order' },
  },
  BatchSuccess: {
    is: 'An item of a batch that was carried out',
    fields: {
      id: 'The product that it was about',
      status: 'The item was carried out',
      product: 'The changed product',
    },
  },
  BatchFailure: {
    is: 'An item of a batch that failed',
    fields: {
      id: 'The id that the item has',
      status: 'That it failed',
      code: 'Why it failed, for machines',
      message: 'Why it failed, for people, and whether anything was changed',
    },
  },
  BatchResult: { is: 'The result of one item of a batch' },
  BatchReport: {
    is: 'The results of a batch',
    fields: {
      results: 'The result of each item, in the same order',
      summary: 'How many of them were carried out',
    },
  },
  ProductPage: { is: 'A page of products', fields: { products: 'The products of this page' } },
  ProductDeleted: {
    is: 'The answer to the deletion of a product',
    fields: { message: 'Always the same sentence' },
  },
  ProductEnvelope: { is: 'A product', fields: { product: 'The product' } },
} satisfies Descriptions;

const example = {
  id: 1,
  name: 'Hot water system, 250 l',
  description: 'Gas storage, ten years of warranty',
  tradeCategoryId: 2,
  pricingType: 'RANGE',
  price: 1450,
  maxPrice: 1900,
  isDisclosePrice: true,
  faqs: [{ question: 'Is the old one taken away?', answer: 'Yes, at no cost.' }],
  isActive: true,
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};

const pricingRules =
  'NONE goes without prices, FIXED needs `price`, RANGE needs `price`, the least, and a `maxPrice` that is no less. ' +
  'Prices that do not apply are 0. ';
const nameRule =
  `If another product of the same category has the name, ${inAnySpelling}, the answer is a 409, and ` +
  '`error.existingId` names that product.';
const productId = pathId(productLabel, numberInPath);

export const listProductsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/products',
  scope: 'products:read',
  access: 'readPageAndList',
  summary: 'List products, newest first',
  description: 'All products, or only products of a category, only products in use or not in use, or both.',
  params: {},
  query: CatalogPageQuery,
  responses: { 200: ProductPage },
  errors: [],
  extension: true,
  example: pageExample('products', example),
});

export const getProductEndpoint = endpoint({
  method: 'GET',
  path: '/v1/products/{productId}',
  scope: 'products:read',
  access: 'get',
  summary: 'Read a product',
  description: 'Also a product that is not in use.',
  params: { productId },
  responses: { 200: ProductEnvelope },
  record: { in: 'product' },
  errors: [404],
  extension: true,
  example: { params: { productId: '1' }, response: { product: example } },
});

export const createProductEndpoint = endpoint({
  method: 'POST',
  path: '/v1/products',
  scope: 'products:create',
  access: 'putAndUpdate',
  summary: 'Create a product',
  description: pricingRules + nameRule,
  params: {},
  body: NewProduct,
  readOnly: readOnlyFields(Product, NewProduct),
  responses: { 201: ProductEnvelope },
  record: { in: 'product' },
  errors: [409],
  example: {
    body: {
      name: 'Hot water system, 250 l',
      description: 'Gas storage, ten years of warranty',
      response: 'We fit it within two days.',
      faqs: [{ question: 'Is the old one taken away?', answer: 'Yes, at no cost.' }],
      tradeCategoryId: 2,
      pricingType: 'RANGE',
      price: 1450,
      maxPrice: 1900,
      isDisclosePrice: true,
    },
    response: { product: example },
  },
});

export const updateProductEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/products/{productId}',
  scope: 'products:write',
  access: 'putUpdateAndDelete',
  summary: 'Change a product',
  description:
    'Fields that are left out stay unchanged; prices that the new `pricingType` does not have become 0. The rules hold for ' +
    `the product after the change. ${pricingRules}${nameRule}`,
  params: { productId },
  body: ProductChanges,
  readOnly: readOnlyFields(Product, ProductChanges),
  responses: { 200: ProductEnvelope },
  record: { in: 'product' },
  errors: [404, 409],
  example: {
    params: { productId: '1' },
    body: { maxPrice: 1950 },
    response: { product: { ...example, maxPrice: 1950, updatedAt: '2026-11-03T09:30:00.000Z' } },
  },
});

export const updateProductsEndpoint = endpoint({
  method: 'PATCH',
  path: '/v1/products/batch',
  scope: 'products:write',
  access: 'putUpdateAndDelete',
  summary: 'Change up to 100 products',
  description:
    'The items are carried out one after the other, each by itself: a failing one undoes nothing, and the same product ' +
    'can come twice. Each has a result, in the same order; `message` says of a failed one whether it was changed. ' +
    'A body of more than 100 items is refused whole, with the code BATCH_TOO_LARGE.',
  params: {},
  body: ProductBatch,
  responses: { 200: BatchReport },
  batch: { results: 'results', in: 'product' },
  errors: [],
  example: {
    body: {
      updates: [
        { id: 1, pricing: { pricingType: 'RANGE', price: 1450, maxPrice: 1950 } },
        { id: 99, name: 'Tap' },
      ],
    },
    response: {
      results: [
        {
          id: 1,
          status: 'ok',
          product: { ...example, maxPrice: 1950, updatedAt: '2026-11-03T09:30:00.000Z' },
        },
        { id: 99, status: 'error', code: 'NOT_FOUND', message: 'Trade product not found' },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
    },
  },
});

export const deleteProductEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/products/{productId}',
  scope: 'products:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a product',
  description: 'Its name is free again. To keep it out of use, set `isActive` to false instead.',
  params: { productId },
  responses: { 200: ProductDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { productId: '1' }, response: { message: 'Product deleted successfully' } },
});
