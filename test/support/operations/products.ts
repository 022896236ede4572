import { updateProducts } from '../../../shared/domain/products/batch.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { never } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createProduct: {
    // The category is read serializably, together with the head: 2 units each.
    cost: [2, 4, 8],
    run: (ledger) =>
      createProduct(ledger, { name: 'Sink', tradeCategoryId: 2, pricingType: 'FIXED', price: 90 }),
    request: (_, n) => ({ body: { name: `Sink ${n}`, tradeCategoryId: 2, pricingType: 'NONE' } }),
  },
  updateProduct: {
    cost: [2, 2, 10],
    run: (ledger, { productId }) => updateProduct(ledger, productId, { name: 'Mixer tap' }),
    request: ({ productId }, n) => ({ params: { productId }, body: { name: `Mixer tap ${n}` } }),
  },
  updateProducts: {
    cost: [2, 2, 10],
    run: (ledger, { productId }) =>
      updateProducts(ledger, { updates: [{ id: productId, name: 'Basin tap' }] }, never),
    request: ({ productId }, n) => ({ body: { updates: [{ id: productId, name: `Basin tap ${n}` }] } }),
  },
};
