import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { createInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { eraseLead } from '../../../shared/domain/erasure/erase-lead.ts';
import { newInquiries } from '../records.ts';
import { never, page } from './samples.ts';
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
  createLeads: {
    // Two leads, two events and three unique values, with the head and the pipeline.
    cost: [2, 2, 24],
    run: (ledger) =>
      createLeads(
        ledger,
        [
          { name: 'Cy', email: 'cy@example.com', phone: '0491 572 665' },
          { name: 'Ed', email: 'ed@example.com' },
        ],
        never,
      ),
    // A unique value that is taken is read.
    otherWay: (ledger) => createLeads(ledger, [{ name: 'Cy', email: 'cy@example.com' }], never),
    request: (_, n) => ({ body: { leads: [{ name: 'Cy', email: `cy${n}@example.com` }, { name: 'Ed' }] } }),
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
    cost: [2, 3, 21],
    run: (ledger, { leadId }) => deleteLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  eraseLead: {
    // The lead has no inquiries. With inquiries the cost varies: it depends on which of two reads ends first.
    cost: [2, 3, 21],
    given: async (ledger, records) => {
      const lead = { name: 'Eve Ash', email: 'eve@example.com', phone: '0491 570 110' };
      return { ...records, leadId: (await createLead(ledger, lead)).id };
    },
    run: (ledger, { leadId }) => eraseLead(ledger, leadId),
    // A lead with a tagged call, and one with a thread.
    otherWay: async (ledger) => {
      const { id } = await createLead(ledger, { name: 'Flo' });
      for (const inquiry of newInquiries)
        if (['CALL', 'SMS'].includes(inquiry.source)) await createInquiry(ledger, id, inquiry);
      await eraseLead(ledger, id);
    },
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  listLeadActivities: {
    cost: [1, 1.5, 0],
    run: (ledger, { leadId }) => listActivities(ledger, leadId, page),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
};
