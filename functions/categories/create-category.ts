import { createCategoryEndpoint } from '../../shared/contract/categories.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createCategoryEndpoint, async ({ body, caller }) =>
  created({ category: await createCategory(ledgerOf(caller), body) }),
);
