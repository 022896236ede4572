import { getCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { getCompanyNote } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getCompanyNoteEndpoint, async ({ params, principal }) =>
  ok({ note: await getCompanyNote(ledgerOf(principal), params) }),
);
