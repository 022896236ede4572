import { created } from '../../shared/endpoints/endpoint.ts';
import { createProduct } from '../../shared/endpoints/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as products from '../../shared/products/products.ts';

export const handler = serve(createProduct, async ({ body, caller }) =>
  created({ product: await products.createProduct(ledgerOf(caller), body) }),
);
