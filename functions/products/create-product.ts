import { created } from '../../shared/contract/endpoint.ts';
import { createProductEndpoint } from '../../shared/contract/products.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { products, createProduct, getProduct } from '../../shared/domain/products/products.ts';

export const handler = serve(
  createProductEndpoint,
  async ({ body, principal }) => created({ product: await createProduct(ledgerOf(principal), body) }),
  onceStored(products, 'product', async (ledger, id) => created({ product: await getProduct(ledger, id) })),
);
