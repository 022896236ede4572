import { createCategoryEndpoint } from '../../shared/contract/categories.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { categories, createCategory, getCategory } from '../../shared/domain/categories/categories.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(
  createCategoryEndpoint,
  async ({ body, caller }) => created({ category: await createCategory(ledgerOf(caller), body) }),
  once(ledgerOf, async ({ ledger }) => {
    const id = ledger.keptId(categories);
    return unlessChanged(ledger, async () => created({ category: await getCategory(ledger, id) }), {
      category: { id },
    });
  }),
);
