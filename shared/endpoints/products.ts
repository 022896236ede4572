import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { sentences } from './errors.ts';
import {
  count,
  filledLine,
  filledText,
  numberInPath,
  price,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
  uniqueNameLength,
} from './fields.ts';

export const about = 'Products that the organization sells';

export const pricingTypes = ['NONE', 'FIXED', 'RANGE'] as const;
export type PricingType = (typeof pricingTypes)[number];

/** A question about a product, and its answer. */
export const ProductFaq = v.strictObject({ question: v.string(), answer: v.string() });

/** A product (specification, section 2). Prices that do not apply are 0. */
export const Product = v.strictObject({
  id: recordNumber,
  name: v.string(),
  description: v.string(),
  tradeCategoryId: recordNumber,
  pricingType: v.picklist(pricingTypes),
  price,
  maxPrice: price,
  isDisclosePrice: v.boolean(),
  faqs: v.array(ProductFaq),
  isActive: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Product = v.InferOutput<typeof Product>;

// A batch answers with 100 products, within the 6 MB that a function can answer.
const description = v.optional(text(2000));
const response = v.optional(
  v.pipe(
    text(5000),
    v.description('What the assistant says of it; stored, and not part of a product as it is read'),
  ),
);
const faqs = v.optional(
  v.pipe(v.array(v.strictObject({ question: filledText(255), answer: filledText(1000) })), v.maxLength(10)),
);
const prices = {
  price: v.optional(v.pipe(price, v.description('The price for FIXED, the least for RANGE'))),
  maxPrice: v.optional(v.pipe(price, v.description('The most for RANGE'))),
  isDisclosePrice: v.optional(v.boolean()),
};
const isActive = v.optional(v.boolean());

/** What a client sends to create a product. */
export const NewProduct = v.strictObject({
  name: filledLine(uniqueNameLength),
  tradeCategoryId: recordNumber,
  pricingType: v.picklist(pricingTypes),
  ...prices,
  description,
  response,
  faqs,
  isActive,
});
export type NewProduct = v.InferOutput<typeof NewProduct>;

/** What a client sends to change a product: what it leaves out stays. */
export const ProductChanges = v.partial(NewProduct);
export type ProductChanges = v.InferOutput<typeof ProductChanges>;

const ignored = v.optional(v.pipe(v.unknown(), v.metadata({ readOnly: true })));

/** The product that an item of a batch is about; one that can be none fails that item alone. */
const itemId = v.pipe(v.number(), v.safeInteger());

/** One item of a batch: the product it is about, and what changes. Its timestamps may be sent back. */
export const ProductUpdate = v.strictObject({
  id: itemId,
  createdAt: ignored,
  updatedAt: ignored,
  name: ProductChanges.entries.name,
  tradeCategoryId: ProductChanges.entries.tradeCategoryId,
  pricing: v.optional(v.strictObject({ pricingType: ProductChanges.entries.pricingType, ...prices })),
  description,
  response,
  faqs,
  isActive,
});
export type ProductUpdate = v.InferOutput<typeof ProductUpdate>;

/** What a client sends to change several products. Each item is checked by itself, when its turn comes. */
export const ProductBatch = v.strictObject({
  updates: v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(100, sentences.batchTooLarge),
    v.metadata({ items: { $ref: '#/components/schemas/ProductUpdate' } }),
    v.array(v.looseObject({ id: itemId })),
  ),
});
export type ProductBatch = v.InferOutput<typeof ProductBatch>;

export const batchCodes = ['NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'INTERNAL_ERROR'] as const;
export type BatchCode = (typeof batchCodes)[number];

/** What became of one item of a batch. */
export const BatchResult = v.variant('status', [
  v.strictObject({ id: recordNumber, status: v.literal('ok'), product: Product }),
  v.strictObject({
    id: itemId,
    status: v.literal('error'),
    code: v.picklist(batchCodes),
    message: v.string(),
  }),
]);
export type BatchResult = v.InferOutput<typeof BatchResult>;

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
  'What does not apply is 0. ';
const nameRule =
  'A name that another live product of the same category has, in any case, is a 409 whose `error.existingId` names it.';
const productId = v.pipe(numberInPath, v.description("The product's id"));

export const createProduct = endpoint({
  method: 'POST',
  path: '/v1/products',
  scope: 'write',
  access: 'write',
  summary: 'Create a product',
  description: pricingRules + nameRule,
  params: {},
  body: NewProduct,
  readOnly: readOnlyFields(Product, NewProduct),
  responses: { 201: v.strictObject({ product: Product }) },
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

export const updateProduct = endpoint({
  method: 'PUT',
  path: '/v1/products/{productId}',
  scope: 'write',
  access: 'rename',
  summary: 'Change a product',
  description:
    'What is left out stays; prices that the new `pricingType` does not have become 0. The product as it will be is ' +
    `what is checked. ${pricingRules}${nameRule}`,
  params: { productId },
  body: ProductChanges,
  readOnly: readOnlyFields(Product, ProductChanges),
  responses: { 200: v.strictObject({ product: Product }) },
  errors: [404, 409],
  example: {
    params: { productId: '1' },
    body: { maxPrice: 1950 },
    response: { product: { ...example, maxPrice: 1950, updatedAt: '2026-11-03T09:30:00.000Z' } },
  },
});

export const updateProducts = endpoint({
  method: 'PATCH',
  path: '/v1/products/batch',
  scope: 'write',
  access: 'rename',
  summary: 'Change up to 100 products',
  description:
    'The items are carried out one after the other, each by itself: a failing one undoes nothing, and the same product ' +
    'can come twice. Each has a result, in the same order; `message` says of a failed one whether it was changed. ' +
    'A body of more than 100 items is refused whole, with the code BATCH_TOO_LARGE.',
  params: {},
  body: ProductBatch,
  responses: {
    200: v.strictObject({
      results: v.array(BatchResult),
      summary: v.strictObject({ total: count, succeeded: count, failed: count }),
    }),
  },
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
