import { getCategoryEndpoint } from '../../shared/contract/categories.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getCategory } from '../../shared/domain/categories/categories.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getCategoryEndpoint, async ({ params, principal }) =>
  ok({ category: await getCategory(ledgerOf(principal), params.categoryId) }),
);
