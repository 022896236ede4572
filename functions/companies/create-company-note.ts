import { createCompanyNoteEndpoint } from '../../shared/contract/company-notes.ts';
import { created } from '../../shared/contract/endpoint.ts';
import { addNote, getNote, notes } from '../../shared/domain/companies/companies.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createCompanyNoteEndpoint,
  async ({ params, body, principal }) => {
    const { userId } = principal;
    return created({ note: await addNote(ledgerOf(principal), params.companyId, { ...body, userId }) });
  },
  onceStored(notes, 'note', async (ledger, noteId, { params }) =>
    created({ note: await getNote(ledger, { ...params, noteId }) }),
  ),
);
