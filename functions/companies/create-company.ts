import { createCompanyEndpoint } from '../../shared/contract/companies.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { companies, createCompany, getCompany } from '../../shared/domain/companies/companies.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createCompanyEndpoint,
  async ({ body, principal }) => created({ company: await createCompany(ledgerOf(principal), body) }),
  onceStored(companies, 'company', async (ledger, id) => created({ company: await getCompany(ledger, id) })),
);
