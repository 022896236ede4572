import { updateCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { updateCompanyNote } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateCompanyNoteEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ note: await updateCompanyNote(ledgerOf(principal), params, body, { refuseOutdated }) }),
);
