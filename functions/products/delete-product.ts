import { ok } from '../../shared/contract/endpoint.ts';
import { deleteProductEndpoint } from '../../shared/contract/products.ts';
import { deleteProduct } from '../../shared/domain/products/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteProductEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteProduct(ledgerOf(principal), params.productId, { refuseOutdated });
  return ok({ message: 'Product deleted successfully' });
});
