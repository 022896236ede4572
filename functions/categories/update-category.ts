import { updateCategoryEndpoint } from '../../shared/contract/categories.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateCategory } from '../../shared/domain/catalog/change-category.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(updateCategoryEndpoint, async ({ params, body, refuseOutdated, caller }) =>
  ok({ category: await updateCategory(ledgerOf(caller), params.categoryId, body, { refuseOutdated }) }),
);
