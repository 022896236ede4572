import { ok } from '../../shared/contract/endpoint.ts';
import { updateProductEndpoint } from '../../shared/contract/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { updateProduct } from '../../shared/domain/products/products.ts';

export const handler = serve(updateProductEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({
    product: await updateProduct(ledgerOf(principal), params.productId, body, { refuseOutdated }),
  }),
);
