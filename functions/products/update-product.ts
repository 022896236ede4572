import { ok } from '../../shared/endpoints/endpoint.ts';
import { updateProduct } from '../../shared/endpoints/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as products from '../../shared/products/products.ts';

export const handler = serve(updateProduct, async ({ params, body, doubts, caller }) =>
  ok({ product: await products.updateProduct(ledgerOf(caller), params.productId, body, { doubts }) }),
);
