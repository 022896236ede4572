import { ok } from '../../shared/contract/endpoint.ts';
import { listProductsEndpoint } from '../../shared/contract/products.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listProducts } from '../../shared/domain/products/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listProductsEndpoint, async ({ query, principal }) =>
  ok(pageOf('products', await listProducts(ledgerOf(principal), query), query)),
);
