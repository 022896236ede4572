import { updateCategoryEndpoint } from '../../shared/contract/categories.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateCategory } from '../../shared/domain/catalog/change-category.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateCategoryEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ category: await updateCategory(ledgerOf(principal), params.categoryId, body, { refuseOutdated }) }),
);
