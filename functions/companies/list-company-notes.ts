import * as companies from '../../shared/companies/companies.ts';
import { listCompanyNotes } from '../../shared/endpoints/companies.ts';
import { ok } from '../../shared/endpoints/endpoint.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(listCompanyNotes, async ({ params, query, caller }) =>
  ok(pageOf('notes', await companies.listNotes(ledgerOf(caller), params.companyId, query), query)),
);
