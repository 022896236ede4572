import { createFaq, getFaq } from '../../../shared/domain/faqs/faqs.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createFaq: {
    cost: [2, 1, 6],
    run: (ledger) => createFaq(ledger, { question: 'Weekends?', answer: 'No' }),
    request: (_, n) => ({ body: { question: `Weekends? ${n}`, answer: 'No' } }),
  },
  getFaq: {
    cost: [1, 1, 0],
    run: (ledger, { faqId }) => getFaq(ledger, faqId),
    request: ({ faqId }) => ({ params: { faqId } }),
  },
};
