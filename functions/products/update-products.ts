import { ok } from '../../shared/contract/endpoint.ts';
import { updateProductsEndpoint } from '../../shared/contract/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { updateProducts } from '../../shared/domain/products/batch.ts';

export const handler = serve(updateProductsEndpoint, async ({ body, caller, report }) => {
  const results = await updateProducts(ledgerOf(caller), body, report);
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  const total = results.length;
  return ok({ results, summary: { total, succeeded, failed: total - succeeded } });
});
