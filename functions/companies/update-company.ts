import { updateCompanyEndpoint } from '../../shared/contract/companies.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateCompany } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateCompanyEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ company: await updateCompany(ledgerOf(principal), params.companyId, body, { refuseOutdated }) }),
);
