import { ok } from '../../shared/contract/endpoint.ts';
import { updateProducts } from '../../shared/contract/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as batch from '../../shared/domain/products/batch.ts';

export const handler = serve(updateProducts, async ({ body, caller, report }) => {
  const results = await batch.updateProducts(ledgerOf(caller), body, report);
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  const total = results.length;
  return ok({ results, summary: { total, succeeded, failed: total - succeeded } });
});
