import { createCategoryEndpoint } from '../../shared/contract/categories.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { categories, createCategory, getCategory } from '../../shared/domain/categories/categories.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createCategoryEndpoint,
  async ({ body, principal }) => created({ category: await createCategory(ledgerOf(principal), body) }),
  onceStored(categories, 'category', async (ledger, id) =>
    created({ category: await getCategory(ledger, id) }),
  ),
);
