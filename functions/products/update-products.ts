import { summaryOf } from '../../shared/contract/batch.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateProductsEndpoint } from '../../shared/contract/products.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { updateProducts } from '../../shared/domain/products/batch.ts';

export const handler = serve(
  updateProductsEndpoint,
  async ({ body, principal, report }) => {
    const results = await updateProducts(ledgerOf(principal), body, report);
    return ok({ results, summary: summaryOf(results) });
  },
  once(({ goOn }) => goOn()),
);
