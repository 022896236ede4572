import { beforeAll, describe, expect, test } from 'vitest';
import { actions } from '../../../infra/stack/access.ts';
import { findContracts } from '../../../infra/functions.ts';
import { everyOperation } from '../../support/every-operation.ts';
import { costsOfOperations, type Cost, type OperationCost } from '../../support/operation-costs.ts';
import { tableAt } from '../../support/world.ts';

/** The exact cost of each operation of an organization in which nobody else writes at the same time. */
const costs: Record<string, Cost> = {
  listLeads: [1, 2, 0],
  createLead: [2, 1, 9],
  getLead: [1, 1, 0],
  deleteLead: [2, 2, 12],
  listLeadActivities: [1, 1.5, 0],
  listInquiries: [2, 2.5, 0],
  getInquiry: [2, 2.5, 0],
  listCompanyNotes: [1, 1.5, 0],
  listMembers: [1, 2, 0],
  listOrganizationServices: [1, 2, 0],
  // The category is only looked at, so it is read serializably, together with the head: 2 units each.
  createService: [2, 4, 10],
  getService: [2, 2, 0],
  getScenario: [1, 1, 0],
  createProduct: [2, 4, 8],
  updateProduct: [2, 2, 10],
  updateProducts: [2, 2, 10],
  // So is the scenario of a rule.
  createTransfer: [2, 4, 8],
  updateTransfer: [2, 2, 10],
  listPolicies: [1, 2, 0],
  updatePolicy: [2, 2, 6],
  createFaq: [2, 1, 6],
  // So is the user; the lead is changed, so it is not. The second write reads the message and the head.
  sendSms: [4, 7, 27],
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
      expect(asked.get(operationId)!.cost).toEqual(costs[operationId]);
    });

    test(`uses all that its access, ${access}, allows, and nothing else`, () => {
      // As it starts, a function reads an item that is not there.
      const used = new Set(['dynamodb:GetItem', ...asked.get(operationId)!.actions]);
      expect([...used].sort()).toEqual(actions[access].map((action) => `dynamodb:${action}`).sort());
    });
  },
);
