import { expect } from 'vitest';
import {
  createInquiryEndpoint,
  getInquiryEndpoint,
  listInquiriesEndpoint,
  updateInquiryEndpoint,
  type Inquiry,
  type InquirySource,
} from '../../shared/contract/inquiries.ts';
import { createLeadEndpoint, getLeadEndpoint, type Lead } from '../../shared/contract/leads.ts';
import { createInquiry, type NewInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import type { NewSource } from '../../shared/domain/inquiries/sources.ts';
import type { ApiClient } from './api-client.ts';
import type { TestOrganization } from './world.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

/** Samples of what each source records of an inquiry. */
export const sampleSources: { [S in InquirySource]: Extract<NewSource, { source: S }> } = {
  CALL: {
    source: 'CALL',
    data: {
      summary: 'Asked for a quote',
      keyPoints: ['Gas heater', 'Home after 3 pm'],
      recordingUrl: 'https://recordings.example.com/1.mp3',
      transcripts: [
        { id: '1', created_at: '2026-11-02T13:06:02.000Z', text: 'How can I help?', user: 'assistant' },
        { id: '2', created_at: '2026-11-02T13:06:07.000Z', text: 'No hot water.', user: 'user' },
      ],
      direction: 'AI_TO_LEAD',
      duration: 12.5,
      startedAt: '2026-11-02T13:06:00.000Z',
      endedAt: '2026-11-02T13:06:12.500Z',
      endedBy: 'assistant',
    },
  },
  EMAIL: {
    source: 'EMAIL',
    data: {
      subject: 'A quote',
      from: 'ann@example.com',
      to: 'office@example.com',
      body: 'Dear all,\n\nno hot water.',
      receivedAt: '2026-11-02T13:06:00.000Z',
    },
  },
  CHATBOT: {
    source: 'CHATBOT',
    data: {
      messages: [
        { id: '1', user: 'assistant', text: 'How can I help?', createdAt: '2026-11-02T13:06:02.000Z' },
        { id: '2', user: 'user', text: 'No hot water.', createdAt: '2026-11-02T13:06:07.000Z' },
      ],
    },
  },
  SMS: {
    source: 'SMS',
    data: {
      messages: [
        { direction: 'INBOUND', text: 'No hot water', status: 'RECEIVED', userId: null },
        { direction: 'OUTBOUND', text: 'On our way', status: 'SENT', userId: null },
      ],
    },
  },
  WEBFORM: {
    source: 'WEBFORM',
    data: {
      formName: 'Contact',
      fields: { Name: 'Ann', Problem: 'No hot water' },
      submittedAt: '2026-11-02T13:06:00.000Z',
    },
  },
};

export async function newLead({ api }: TestOrganization, firstName = 'Ann'): Promise<Lead> {
  return (await api.call(createLeadEndpoint, { body: { firstName } })).lead;
}

/** Stores an inquiry as its source would, with `changes`. */
export const storeInquiry = (
  ledger: Ledger,
  lead: Lead,
  source: InquirySource,
  changes: Partial<Omit<NewInquiry, 'source' | 'data'>> = {},
) =>
  createInquiry(ledger, lead.id, {
    ...sampleSources[source],
    summary: '',
    ...changes,
  });

/** Posts an inquiry: a call of a caller about whom nothing is known, with the fields of `body`. */
export const postInquiry = async (api: ApiClient, body: object) =>
  (await api.answer(createInquiryEndpoint, { body: { source: 'CALL', data: {}, ...body } })).body;

let used = 0;
/** An email address and a phone number that no other test of the file uses. */
export const newEmail = () => `caller${++used}@example.com`;
export const newNumber = () => `+6149157${String(1000 + ++used).padStart(4, '0')}`;

/**
 * Requests that many tests of inquiries make, for the organization that `ours` returns at the time of the
 * request.
 */
export const inquiryRequests = (ours: () => TestOrganization) => ({
  arrive: async (body: object, { api } = ours()) => (await postInquiry(api, body)).inquiry,
  change: ({ id }: Pick<Inquiry, 'id'>, body: object, { api } = ours()) =>
    api.call(updateInquiryEndpoint, { params: { inquiryId: id }, body }),
  readInquiry: ({ id }: Pick<Inquiry, 'id'>, { api } = ours()) =>
    api.call(getInquiryEndpoint, { params: { inquiryId: id } }),
  leadNow: async (leadId: string, { api } = ours()) =>
    (await api.call(getLeadEndpoint, { params: { leadId } })).lead,
  /** Ids on the only page of a list. */
  listed: async (query: Record<string, string | number>, { api } = ours()) => {
    const { inquiries, totalCount } = await api.call(listInquiriesEndpoint, { query });
    expect(totalCount).toBe(inquiries.length);
    return inquiries.map(({ id }) => id);
  },
});
