import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../shared/domain/leads/leads.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listLeads: {
    cost: [1, 2, 0],
    run: (ledger) => listLeads(ledger, page),
    request: () => ({}),
  },
  createLead: {
    cost: [2, 1, 9],
    run: (ledger) => createLead(ledger, { name: 'Bo', email: 'bo@example.com' }),
    request: (_, n) => ({ body: { name: 'Bo Berg', email: `bo${n}@example.com` } }),
  },
  getLead: {
    cost: [1, 1, 0],
    run: (ledger, { leadId }) => getLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  deleteLead: {
    cost: [2, 2, 12],
    run: (ledger, { leadId }) => deleteLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  listLeadActivities: {
    cost: [1, 1.5, 0],
    run: (ledger, { leadId }) => listActivities(ledger, leadId, page),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
};
