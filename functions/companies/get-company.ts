import { getCompanyEndpoint } from '../../shared/contract/companies.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getCompany } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getCompanyEndpoint, async ({ params, principal }) =>
  ok({ company: await getCompany(ledgerOf(principal), params.companyId) }),
);
