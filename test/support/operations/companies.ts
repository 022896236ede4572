import { listNotes } from '../../../shared/domain/companies/companies.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listCompanyNotes: {
    cost: [1, 1.5, 0],
    run: (ledger, { companyId }) => listNotes(ledger, companyId, page),
    request: ({ companyId }) => ({ params: { companyId } }),
  },
};
