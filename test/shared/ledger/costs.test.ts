import { beforeAll, describe, expect, test } from 'vitest';
import { actions } from '../../../infra/access.ts';
import { findContracts } from '../../../infra/endpoints.ts';
import { everyOperation } from '../../support/every-operation.ts';
import { costsOfOperations, type Cost, type OperationCost } from '../../support/operation-costs.ts';
import { tableAt } from '../../support/world.ts';

/**
 * The exact cost of each operation: where the function has not seen the organization yet, and where it remembers its
 * head from a write before. A read never uses what is remembered.
 */
const costs: Record<string, { cold: Cost; warm: Cost }> = {
  listLeads: { cold: [2, 2, 0], warm: [2, 2, 0] },
  createLead: { cold: [2, 1, 9], warm: [1, 0, 9] },
  getLead: { cold: [1, 1, 0], warm: [1, 1, 0] },
  deleteLead: { cold: [2, 4, 12], warm: [2, 1, 12] },
  listLeadActivities: { cold: [2, 1.5, 0], warm: [2, 1.5, 0] },
  listInquiries: { cold: [3, 2.5, 0], warm: [3, 2.5, 0] },
  getInquiry: { cold: [2, 2.5, 0], warm: [2, 2.5, 0] },
  listCompanyNotes: { cold: [2, 1.5, 0], warm: [2, 1.5, 0] },
  listMembers: { cold: [2, 2, 0], warm: [2, 2, 0] },
  listOrganizationServices: { cold: [1, 2, 0], warm: [1, 2, 0] },
  createService: { cold: [2, 4, 10], warm: [2, 1, 10] },
  getService: { cold: [2, 2, 0], warm: [2, 2, 0] },
  getScenario: { cold: [1, 1, 0], warm: [1, 1, 0] },
  createProduct: { cold: [2, 4, 8], warm: [2, 1, 8] },
  updateProduct: { cold: [2, 4, 10], warm: [2, 1, 10] },
  updateProducts: { cold: [2, 4, 10], warm: [2, 1, 10] },
  createTransfer: { cold: [2, 4, 8], warm: [2, 1, 8] },
  updateTransfer: { cold: [2, 4, 10], warm: [2, 1, 10] },
  listPolicies: { cold: [2, 2, 0], warm: [2, 2, 0] },
  updatePolicy: { cold: [2, 4, 6], warm: [2, 1, 6] },
  createFaq: { cold: [2, 1, 6], warm: [1, 0, 6] },
  sendSms: { cold: [4, 7, 27], warm: [4, 3, 27] },
};

const { operations } = await findContracts();
const onTable = operations.filter(({ endpoint }) => endpoint.access !== 'none');

let asked: Map<string, OperationCost>;
beforeAll(async () => {
  asked = await costsOfOperations(tableAt());
});

test('every operation on the table is here', () => {
  expect(Object.keys(everyOperation).sort()).toEqual(onTable.map(({ operationId }) => operationId).sort());
});

describe.each(onTable.map(({ operationId, endpoint }) => [operationId, endpoint.access] as const))(
  '%s',
  (operationId, access) => {
    test('costs what it must, and no more', () => {
      const { cold, warm } = asked.get(operationId)!;
      expect({ cold, warm }).toEqual(costs[operationId]);
    });

    test(`uses all that its access, ${access}, allows, and nothing else`, () => {
      // As it starts, a function reads an item that is not there.
      const used = new Set(['dynamodb:GetItem', ...asked.get(operationId)!.actions]);
      expect([...used].sort()).toEqual(actions[access].map((action) => `dynamodb:${action}`).sort());
    });
  },
);
