import { ok } from '../../shared/contract/endpoint.ts';
import { listOrganizationServicesEndpoint } from '../../shared/contract/organization.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { listOrganizationServices } from '../../shared/domain/services/services.ts';

export const handler = serve(listOrganizationServicesEndpoint, async ({ principal }) => {
  const categories = await listOrganizationServices(ledgerOf(principal));
  const totalServices = categories.reduce((sum, category) => sum + category.services.length, 0);
  return ok({ categories, totalCategories: categories.length, totalServices });
});
