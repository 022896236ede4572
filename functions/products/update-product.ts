import { ok } from '../../shared/contract/endpoint.ts';
import { updateProduct } from '../../shared/contract/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as products from '../../shared/domain/products/products.ts';

export const handler = serve(updateProduct, async ({ params, body, doubts, caller }) =>
  ok({ product: await products.updateProduct(ledgerOf(caller), params.productId, body, { doubts }) }),
);
