import { listMembers } from '../../../shared/domain/members/members.ts';
import { listServicesByCategory } from '../../../shared/domain/services/services.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listMembers: {
    cost: [1, 2, 0],
    run: (ledger) => listMembers(ledger, page),
    request: () => ({}),
  },
  listOrganizationServices: {
    cost: [1, 2, 0],
    run: (ledger) => listServicesByCategory(ledger),
    request: () => ({}),
  },
};
