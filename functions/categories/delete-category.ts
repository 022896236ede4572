import { deleteCategoryEndpoint } from '../../shared/contract/categories.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { deleteCategory } from '../../shared/domain/catalog/change-category.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteCategoryEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteCategory(ledgerOf(principal), params.categoryId, { refuseOutdated });
  return ok({ message: 'Category deleted successfully' });
});
