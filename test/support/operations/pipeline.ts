import { getPipeline } from '../../../shared/domain/leads/pipeline.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  getPipeline: {
    cost: [1, 1, 0],
    run: (ledger) => getPipeline(ledger, Date.now()),
    request: () => ({}),
  },
};
