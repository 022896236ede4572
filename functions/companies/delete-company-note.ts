import { deleteCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { deleteCompanyNote } from '../../shared/domain/companies/companies.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteCompanyNoteEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteCompanyNote(ledgerOf(principal), params, { refuseOutdated });
  return ok({ message: 'Note deleted successfully' });
});
