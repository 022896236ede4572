import { listCompaniesEndpoint } from '../../shared/contract/companies.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listCompanies } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listCompaniesEndpoint, async ({ query, principal }) =>
  ok(pageOf('companies', await listCompanies(ledgerOf(principal), query), query)),
);
