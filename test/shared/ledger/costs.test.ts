import { expect, test } from 'vitest';
import { createFaq } from '../../../shared/faqs/faqs.ts';
import { everyOperation, fill } from '../../support/every-operation.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import { newOrganization } from '../../support/world.ts';

/** What an operation asks of DynamoDB. */
type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

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

test.each(Object.keys(everyOperation))('%s costs what it must, and no more', async (operationId) => {
  for (const state of ['cold', 'warm'] as const) {
    const organization = await newOrganization();
    const records = await fill(organization.openLedger().ledger);
    const { store, roundTrips } = faultyStore(() => 'pass');
    if (state === 'warm') {
      await createFaq(organization.openLedger({ store }).ledger, { question: 'Sundays?', answer: 'No' });
    }
    const before = roundTrips();
    const { ledger, meter } = organization.openLedger({ store });
    await everyOperation[operationId]!(ledger, records);
    expect([roundTrips() - before, meter.readUnits, meter.writeUnits], state).toEqual(
      costs[operationId]?.[state],
    );
  }
});
