import { getPolicy, listPolicies, updatePolicy } from '../../../shared/domain/policies/policies.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listPolicies: {
    cost: [1, 2, 0],
    run: (ledger) => listPolicies(ledger, page),
    request: () => ({}),
  },
  getPolicy: {
    cost: [1, 1, 0],
    run: (ledger, { policyId }) => getPolicy(ledger, policyId),
    request: ({ policyId }) => ({ params: { policyId } }),
  },
  updatePolicy: {
    cost: [2, 2, 6],
    run: (ledger, { policyId }) => updatePolicy(ledger, policyId, { isActive: false }),
    request: ({ policyId }, n) => ({ params: { policyId }, body: { content: `${n} days before` } }),
  },
};
