import { createTransfer, updateTransfer } from '../../../shared/domain/transfers/transfers.ts';
import { newTransfer } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  createTransfer: {
    // The scenario is read serializably, together with the head: 2 units each.
    cost: [2, 4, 8],
    run: (ledger, { scenarioId }) => createTransfer(ledger, { ...newTransfer, label: 'Gas', scenarioId }),
    request: (_, n) => ({
      body: {
        label: `Bursts ${n}`,
        method: 'WARM',
        destinationType: 'DEPARTMENT',
        destination: 'Office',
        conditions: 'Asks for it',
      },
    }),
  },
  updateTransfer: {
    cost: [2, 2, 10],
    run: (ledger, { transferId }) => updateTransfer(ledger, transferId, { label: 'Burst pipes' }),
    request: ({ transferId }, n) => ({ params: { transferId }, body: { label: `Burst pipes ${n}` } }),
  },
};
