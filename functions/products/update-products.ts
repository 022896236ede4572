import { ok } from '../../shared/endpoints/endpoint.ts';
import { updateProducts } from '../../shared/endpoints/products.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as batch from '../../shared/products/batch.ts';

export const handler = serve(updateProducts, async ({ body, caller, report }) => {
  const results = await batch.updateProducts(ledgerOf(caller), body, report);
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  const total = results.length;
  return ok({ results, summary: { total, succeeded, failed: total - succeeded } });
});
