import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createFaq: {
    cost: [2, 1, 6],
    run: (ledger) => createFaq(ledger, { question: 'Weekends?', answer: 'No' }),
    request: (_, n) => ({ body: { question: `Weekends? ${n}`, answer: 'No' } }),
  },
};
