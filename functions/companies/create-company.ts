import { createCompanyEndpoint } from '../../shared/contract/companies.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createCompanyEndpoint, async ({ body, caller }) =>
  created({ company: await createCompany(ledgerOf(caller), body) }),
);
