import { listCategoriesEndpoint } from '../../shared/contract/categories.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listCategories } from '../../shared/domain/categories/categories.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listCategoriesEndpoint, async ({ query, principal }) =>
  ok(pageOf('categories', await listCategories(ledgerOf(principal), query), query)),
);
