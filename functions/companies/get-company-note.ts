import { getCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getNote } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getCompanyNoteEndpoint, async ({ params, principal }) =>
  ok({ note: await getNote(ledgerOf(principal), params) }),
);
