import { getScenario } from '../../../shared/domain/scenarios/scenarios.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  getScenario: {
    cost: [1, 1, 0],
    run: (ledger, { scenarioId }) => getScenario(ledger, scenarioId),
    request: ({ scenarioId }) => ({ params: { scenarioId } }),
  },
};
