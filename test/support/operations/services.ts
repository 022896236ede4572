import { createService, getService } from '../../../shared/domain/services/services.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createService: {
    // The category is read serializably, together with the head: 2 units each.
    cost: [2, 4, 10],
    run: (ledger) => createService(ledger, { name: 'Leaking tap', tradeCategoryId: 1 }),
    request: (_, n) => ({ body: { name: `Leaking tap ${n}`, tradeCategoryId: 1 } }),
  },
  getService: {
    cost: [2, 2, 0],
    run: (ledger, { serviceId }) => getService(ledger, serviceId),
    request: ({ serviceId }) => ({ params: { serviceId } }),
  },
};
