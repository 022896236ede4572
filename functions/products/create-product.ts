import { created } from '../../shared/contract/endpoint.ts';
import { createProductEndpoint } from '../../shared/contract/products.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { products, createProduct, getProduct } from '../../shared/domain/products/products.ts';

export const handler = serve(
  createProductEndpoint,
  async ({ body, caller }) => created({ product: await createProduct(ledgerOf(caller), body) }),
  once(ledgerOf, async ({ ledger }) => {
    const id = ledger.keptId(products);
    return unlessChanged(ledger, async () => created({ product: await getProduct(ledger, id) }), {
      product: { id },
    });
  }),
);
