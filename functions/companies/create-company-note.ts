import { createCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { createCompanyNote, getCompanyNote, notes } from '../../shared/domain/companies/companies.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createCompanyNoteEndpoint,
  async ({ params, body, principal }) => {
    const { userId } = principal;
    return created({
      note: await createCompanyNote(ledgerOf(principal), params.companyId, { ...body, userId }),
    });
  },
  onceStored(notes, 'note', async (ledger, noteId, { params }) =>
    created({ note: await getCompanyNote(ledger, { ...params, noteId }) }),
  ),
);
