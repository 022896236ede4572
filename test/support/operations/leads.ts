import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listLeads: {
    cost: [1, 2, 0],
    run: (ledger) => listLeads(ledger, page),
    otherWay: async (ledger) => {
      await listLeads(ledger, { ...page, status: 'pending' });
      await listLeads(ledger, { ...page, q: 'an' });
    },
    request: () => ({}),
  },
  createLead: {
    cost: [2, 2, 13],
    run: (ledger) => createLead(ledger, { name: 'Bo', email: 'bo@example.com' }),
    request: (_, n) => ({ body: { name: 'Bo Berg', email: `bo${n}@example.com` } }),
  },
  getLead: {
    cost: [1, 1, 0],
    run: (ledger, { leadId }) => getLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  updateLead: {
    cost: [2, 3, 22],
    run: (ledger, { leadId }) => updateLead(ledger, leadId, { status: 'quoted', email: 'anna@example.com' }),
    request: ({ leadId }, n) => ({ params: { leadId }, body: { suburb: `Suburb ${n}`, read: true } }),
  },
  deleteLead: {
    cost: [2, 3, 19],
    run: (ledger, { leadId }) => deleteLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  listLeadActivities: {
    cost: [1, 1.5, 0],
    run: (ledger, { leadId }) => listActivities(ledger, leadId, page),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
};
