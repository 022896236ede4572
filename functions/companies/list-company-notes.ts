import * as companies from '../../shared/domain/companies/companies.ts';
import { listCompanyNotes } from '../../shared/contract/companies.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listCompanyNotes, async ({ params, query, caller }) =>
  ok(pageOf('notes', await companies.listNotes(ledgerOf(caller), params.companyId, query), query)),
);
