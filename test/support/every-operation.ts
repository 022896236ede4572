import { createCompany, addNote, listNotes } from '../../shared/domain/companies/companies.ts';
import { createFaq } from '../../shared/domain/faqs/faqs.ts';
import {
  createInquiry,
  getInquiry,
  listInquiries,
  type NewInquiry,
} from '../../shared/domain/inquiries/inquiries.ts';
import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../shared/domain/leads/leads.ts';
import type { Ledger } from '../../shared/ledger/internal/ledger.ts';
import { listMembers } from '../../shared/domain/members/members.ts';
import { createPolicy, listPolicies, updatePolicy } from '../../shared/domain/policies/policies.ts';
import { updateProducts } from '../../shared/domain/products/batch.ts';
import { createProduct, updateProduct } from '../../shared/domain/products/products.ts';
import { getScenario } from '../../shared/domain/scenarios/scenarios.ts';
import { createService, getService, listServicesByCategory } from '../../shared/domain/services/services.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';
import { createTransfer, updateTransfer } from '../../shared/domain/transfers/transfers.ts';

/** One record of each kind in one organization. */
export interface Records {
  userId: string;
  leadId: string;
  /** By source. */
  inquiryIds: Record<NewInquiry['source'], string>;
  companyId: string;
  serviceId: number;
  scenarioId: number;
  productId: number;
  transferId: number;
  policyId: number;
}

const page = { page: 1, limit: 50 };
const moment = '2026-11-02T13:00:00.000Z';

/** An inquiry of each source. */
export const newInquiries: NewInquiry[] = [
  {
    source: 'CALL',
    summary: 'No hot water',
    tag: 'Hot water',
    data: {
      summary: 'No hot water',
      keyPoints: ['Gas'],
      recordingUrl: 'https://recordings.example.com/1.mp3',
      transcripts: [{ id: '1', created_at: moment, text: 'Hello', user: 'assistant' }],
      direction: 'LEAD_TO_AI',
      duration: 61.5,
      startedAt: moment,
      endedAt: moment,
      endedBy: 'user',
    },
  },
  {
    source: 'EMAIL',
    summary: 'A quote, please',
    externalId: 'mail-1',
    data: {
      subject: 'Quote',
      from: 'ann@example.com',
      to: 'us@example.com',
      body: 'Please.',
      receivedAt: moment,
    },
  },
  {
    source: 'CHATBOT',
    summary: 'Opening hours',
    data: { messages: [{ id: '1', user: 'user', text: 'Open today?', createdAt: moment }] },
  },
  {
    source: 'SMS',
    summary: 'Running late',
    data: { messages: [{ direction: 'INBOUND', text: 'Late', status: 'RECEIVED', userId: null }] },
  },
  {
    source: 'WEBFORM',
    summary: 'Contact form',
    data: { formName: 'Contact', fields: { topic: 'Gutters' }, submittedAt: moment },
  },
];

/** Fills an organization with a record of each kind. */
export async function fill(ledger: Ledger): Promise<Records> {
  const lead = await createLead(ledger, { name: 'Ann Lee', email: 'ann@example.com', phone: '0491 570 156' });
  const inquiries: [string, string][] = [];
  for (const input of newInquiries) {
    inquiries.push([input.source, (await createInquiry(ledger, lead.id, input)).id]);
  }
  const company = await createCompany(ledger, { name: 'Corner Bakery' });
  const { items } = await listMembers(ledger, page);
  const userId = items[0]!.user.id;
  await addNote(ledger, company.id, { value: 'Call before noon', userId });
  const service = await createService(ledger, { name: 'Blocked drain', tradeCategoryId: 1 });
  const product = await createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
  const transfer = await createTransfer(ledger, { ...newTransfer, label: 'Bursts' });
  const policy = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  return {
    userId,
    leadId: lead.id,
    inquiryIds: Object.fromEntries(inquiries) as Records['inquiryIds'],
    companyId: company.id,
    serviceId: service.id,
    scenarioId: service.scenario.id,
    productId: product.id,
    transferId: transfer.id,
    policyId: policy.id,
  };
}

const newTransfer = {
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Office',
  conditions: 'Asks for it',
} as const;
const never = () => {
  throw new Error('Nothing is to be reported');
};

/** An operation on an organization that has these records; `later` is its ledger opened once more. */
type Operation = (ledger: Ledger, records: Records, later: Ledger) => Promise<unknown>;

/** What each operation does, by its operationId, at its fullest. */
export const everyOperation: Record<string, Operation> = {
  listLeads: (ledger) => listLeads(ledger, page),
  createLead: (ledger) => createLead(ledger, { name: 'Bo', email: 'bo@example.com' }),
  getLead: (ledger, { leadId }) => getLead(ledger, leadId),
  deleteLead: (ledger, { leadId }) => deleteLead(ledger, leadId),
  listLeadActivities: (ledger, { leadId }) => listActivities(ledger, leadId, page),
  listInquiries: (ledger) => listInquiries(ledger, { ...page, source: 'CALL', expand: 'both' }),
  getInquiry: (ledger, { inquiryIds }) => getInquiry(ledger, inquiryIds.SMS),
  listCompanyNotes: (ledger, { companyId }) => listNotes(ledger, companyId, page),
  listMembers: (ledger) => listMembers(ledger, page),
  listOrganizationServices: (ledger) => listServicesByCategory(ledger),
  createService: (ledger) => createService(ledger, { name: 'Leaking tap', tradeCategoryId: 1 }),
  getService: (ledger, { serviceId }) => getService(ledger, serviceId),
  getScenario: (ledger, { scenarioId }) => getScenario(ledger, scenarioId),
  createProduct: (ledger) =>
    createProduct(ledger, { name: 'Sink', tradeCategoryId: 2, pricingType: 'FIXED', price: 90 }),
  updateProduct: (ledger, { productId }) => updateProduct(ledger, productId, { name: 'Mixer tap' }),
  updateProducts: (ledger, { productId }) =>
    updateProducts(ledger, { updates: [{ id: productId, name: 'Basin tap' }] }, never),
  createTransfer: (ledger, { scenarioId }) =>
    createTransfer(ledger, { ...newTransfer, label: 'Gas', scenarioId }),
  updateTransfer: (ledger, { transferId }) => updateTransfer(ledger, transferId, { label: 'Burst pipes' }),
  listPolicies: (ledger) => listPolicies(ledger, page),
  updatePolicy: (ledger, { policyId }) => updatePolicy(ledger, policyId, { isActive: false }),
  createFaq: (ledger) => createFaq(ledger, { question: 'Weekends?', answer: 'No' }),
  sendSms: (ledger, { userId, leadId }, later) =>
    sendSms(
      { before: ledger, after: later },
      () => Promise.resolve({ status: 'SENT', providerId: '1' }),
      { userId, leadId, message: 'On our way' },
      never,
    ),
};

/** What is done another way, and takes another action. */
export const otherWays: Partial<typeof everyOperation> = {
  listInquiries: (ledger) => listInquiries(ledger, page),
};
