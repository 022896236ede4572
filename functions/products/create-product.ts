import { created } from '../../shared/contract/endpoint.ts';
import { createProduct } from '../../shared/contract/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as products from '../../shared/domain/products/products.ts';

export const handler = serve(createProduct, async ({ body, caller }) =>
  created({ product: await products.createProduct(ledgerOf(caller), body) }),
);
