import { createAppointment } from '../../shared/domain/appointments/create-appointment.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { createCompany, createCompanyNote } from '../../shared/domain/companies/companies.ts';
import { createFaq } from '../../shared/domain/faqs/faqs.ts';
import { storeInquiry, type InquiryToStore } from '../../shared/domain/inquiries/inquiries.ts';
import { leads } from '../../shared/domain/leads/lead-record.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { createMember, listMembers, ownerIdOf } from '../../shared/domain/members/members.ts';
import { createPolicy } from '../../shared/domain/policies/policies.ts';
import { createProduct } from '../../shared/domain/products/products.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { createAccessToken } from '../../shared/domain/tokens/access-tokens.ts';
import { inviteMember } from '../../shared/domain/tokens/invitations.ts';
import { ownersScopes } from '../../shared/domain/tokens/tokens.ts';
import type { NewAccessToken } from '../../shared/contract/access-tokens.ts';
import { createTransfer } from '../../shared/domain/transfers/transfers.ts';
import { createWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { webhooks } from '../../shared/domain/webhooks/webhooks.ts';
import type { Ledger } from '../../shared/ledger/index.ts';
import type { StoredOrganization } from './stored-organization.ts';
import { secretMaker } from './secrets.ts';
import { patience } from './patience.ts';
import { sendWebhooksWorker } from '../../shared/contract/webhook-workers.ts';

/** Ids of the records in an organization of `fill`: a record of each kind. */
export interface Records {
  userId: string;
  leadId: string;
  /** Inquiries by source. */
  inquiryIds: Record<InquiryToStore['source'], string>;
  /** The inquiry of the call. */
  inquiryId: string;
  /** Number of a member who is not the owner. */
  memberId: number;
  companyId: string;
  /** A note about the company. */
  noteId: number;
  serviceId: number;
  scenarioId: number;
  productId: number;
  transferId: number;
  policyId: number;
  faqId: number;
  categoryId: number;
  appointmentId: string;
  webhookId: number;
  invitationId: number;
  /** The token that accepts the invitation. */
  invitationToken: string;
  /** A key of a voice platform, with a signing secret. */
  tokenId: number;
  /** Number of the webhook's delivery. */
  deliveryId: number;
}

export const page = { page: 1, limit: 50 };

export const newTransfer = {
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Office',
  conditions: 'Asks for it',
} as const;

export const newAppointment = {
  title: 'Blocked drain',
  start: '2031-12-08T09:00:00.000Z',
  end: '2031-12-08T10:00:00.000Z',
};

/** A booking that may change leads, on the day before the appointments of tests. */
export const atBooking = { fillsContacts: true, now: Date.parse('2031-12-07T00:00:00.000Z') };

/** A webhook with an address that every stage takes and none reaches: on AWS it is refused, and here nobody is there. */
export const newWebhook = {
  url: 'https://127.0.0.1/hooks',
  types: ['lead.*'],
  description: 'To the CRM',
};

/** A client that makes webhooks on AWS, and its secrets. */
export const asClient = { ...secretMaker, reachesLoopback: false };

/** The owner's client, with a token that manages everything. */
export const asOwner = ({ organization }: Pick<Ledger, 'organization'>) => ({
  ...asClient,
  userId: ownerIdOf(organization),
  tokenId: 1,
  scopes: ownersScopes,
});

export const never = () => {
  throw new Error('Nothing is to be reported');
};

const moment = '2026-11-02T13:00:00.000Z';

export const newInvitation = { email: 'new@example.com', role: 'USER' } as const;
export const newKey = {
  name: 'Retell',
  scopes: ['calls:submit'],
  secret: 'key_4f0c9b7a51e24d6f8a3b',
} satisfies NewAccessToken;

/** An inquiry of each source. */
export const newInquiries: InquiryToStore[] = [
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
      endReason: '',
      fields: {},
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
    externalId: 'mail-1',
    giver: { keyId: 2 },
    data: { formName: 'Contact', fields: { topic: 'Gutters' }, submittedAt: moment },
  },
];

/** Stores what the receiver of a webhook answered to an event about a lead. */
export async function addAnswer(ledger: Ledger, leadId: string, body = 'OK'): Promise<void> {
  const { deliveries } = ledger;
  const webhook = 1;
  const attempt = { at: new Date().toISOString(), status: 200, failure: null, milliseconds: 12, body };
  const sent = { eventId: 1, cause: 1, type: 'lead.created', status: 'DELIVERED', attempt } as const;
  const { number } = ledger.ref(leads, leadId);
  const cursor = await deliveries.cursor(webhook);
  await deliveries.take(
    webhook,
    cursor,
    0,
    await deliveries.record(webhook, cursor, { ...sent, lead: number }),
  );
}

/** Fills an organization with one record of each kind. */
export async function fill({ openLedger }: Pick<StoredOrganization, 'openLedger'>): Promise<Records> {
  const { ledger } = openLedger();
  const lead = await createLead(ledger, { name: 'Ann Lee', email: 'ann@example.com', phone: '0491 570 156' });
  const inquiries: [string, string][] = [];
  for (const input of newInquiries) {
    inquiries.push([input.source, (await storeInquiry(ledger, lead.id, input)).id]);
  }
  const inquiryIds = Object.fromEntries(inquiries) as Records['inquiryIds'];
  const company = await createCompany(ledger, { name: 'Corner Bakery' });
  const { items } = await listMembers(ledger, page);
  const userId = items[0]!.user.id;
  const member = await createMember(ledger, { firstName: 'Max', lastName: 'Tran', email: 'max@example.com' });
  const note = await createCompanyNote(ledger, company.id, { value: 'Call before noon', userId });
  const service = await createService(ledger, { name: 'Blocked drain', tradeCategoryId: 1 });
  const product = await createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
  const transfer = await createTransfer(ledger, { ...newTransfer, label: 'Bursts' });
  const policy = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  const category = await createCategory(ledger, { name: 'Gas', type: 'SERVICE' });
  const faq = await createFaq(ledger, { question: 'Open on Sundays?', answer: 'No' });
  const booking = { ...newAppointment, leadId: lead.id, tradeServiceId: service.id, attendees: [userId] };
  const { appointment } = await createAppointment(ledger, booking, atBooking);
  const { ledger: ofSender } = openLedger({
    reach: { access: sendWebhooksWorker.access, worker: sendWebhooksWorker.name },
  });
  await addDelivery(ofSender, await nextWebhook(ledger));
  // Of types that do not happen: no key of KMS has encrypted its secret, so the sender can send nothing.
  const input = { ...newWebhook, types: ['webhook.disabled'] };
  const { webhook } = await createWebhook(ledger, input, { userId, tokenId: 1, ...asClient });
  const invitation = await inviteMember(ledger, newInvitation, asOwner(ledger));
  const token = await createAccessToken(ledger, newKey, asOwner(ledger));
  return {
    userId,
    invitationId: invitation.id,
    invitationToken: invitation.token,
    tokenId: token.id,
    leadId: lead.id,
    inquiryIds,
    inquiryId: inquiryIds.CALL,
    memberId: member.id,
    companyId: company.id,
    noteId: note.id,
    serviceId: service.id,
    scenarioId: service.scenario.id,
    productId: product.id,
    transferId: transfer.id,
    policyId: policy.id,
    faqId: faq.id,
    categoryId: category.id,
    appointmentId: appointment.id,
    webhookId: webhook.id,
    deliveryId: 1,
  };
}

/** Number of the next webhook. */
const nextWebhook = (ledger: Ledger) => ledger.write({}, (write) => write.next(webhooks).number);

/**
 * Adds a delivery of the newest event, as if it were about lead 1. There is no such webhook yet, so that no sender is at
 * work.
 */
async function addDelivery(ledger: Ledger, webhook: number): Promise<void> {
  const { deliveries } = ledger;
  const { version } = await ledger.eventsAfter(0, 1);
  const cursor = await deliveries.take(webhook, await deliveries.cursor(webhook), Date.now() + patience);
  const attempt = {
    at: new Date().toISOString(),
    status: 200,
    failure: null,
    milliseconds: 12,
    body: 'Thanks',
  };
  const about = {
    eventId: version,
    cause: version,
    type: 'lead.created',
    status: 'DELIVERED',
    lead: 1,
  } as const;
  const changes = await deliveries.record(webhook, cursor!, { ...about, attempt });
  await deliveries.move(webhook, cursor!, changes, { isEnd: true });
}
