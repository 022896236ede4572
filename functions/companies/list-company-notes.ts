import { listCompanyNotes } from '../../shared/domain/companies/companies.ts';
import { listCompanyNotesEndpoint } from '../../shared/contract/company-notes.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listCompanyNotesEndpoint, async ({ params, query, principal }) =>
  ok(pageOf('notes', await listCompanyNotes(ledgerOf(principal), params.companyId, query), query)),
);
