import { companyDeletionMessages, deleteCompanyEndpoint } from '../../shared/contract/companies.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { deleteCompany } from '../../shared/domain/companies/delete-company.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteCompanyEndpoint, async ({ params, refuseOutdated, principal }) => {
  const done = await deleteCompany(ledgerOf(principal), params.companyId, { refuseOutdated });
  return ok({ message: done ? companyDeletionMessages.done : companyDeletionMessages.notDone, done });
});
