import { ok } from '../../shared/contract/endpoint.ts';
import { getProductEndpoint } from '../../shared/contract/products.ts';
import { getProduct } from '../../shared/domain/products/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getProductEndpoint, async ({ params, principal }) =>
  ok({ product: await getProduct(ledgerOf(principal), params.productId) }),
);
