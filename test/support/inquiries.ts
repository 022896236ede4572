import { expect } from 'vitest';
import type { Inquiry, InquirySource } from '../../shared/contract/inquiries.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { storeInquiry, type InquiryToStore } from '../../shared/domain/inquiries/inquiries.ts';
import type { SourceToStore } from '../../shared/domain/inquiries/sources.ts';
import type { ApiClient } from './api-client.ts';
import { newInquiries } from './filled-records.ts';
import type { TestOrganization } from './test-organization.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

/** Samples of what each source records of an inquiry. */
export const sampleSources = Object.fromEntries(
  newInquiries.map(({ source, data }) => [source, { source, data }]),
) as { [S in InquirySource]: Extract<SourceToStore, { source: S }> };

export async function newLead({ api }: TestOrganization, firstName = 'Ann'): Promise<Lead> {
  return (await api.call('createLead', { body: { firstName } })).lead;
}

/** Stores an inquiry as its source would, with `changes`. */
export const storeSample = (
  ledger: Ledger,
  lead: Lead,
  source: InquirySource,
  changes: Partial<Omit<InquiryToStore, 'source' | 'data'>> = {},
) =>
  storeInquiry(ledger, lead.id, {
    ...sampleSources[source],
    summary: '',
    ...changes,
  });

/** Posts an inquiry: a call of a caller about whom nothing is known, with the fields of `body`. */
export const postInquiry = async (api: ApiClient, body: object) =>
  (await api.answer('createInquiry', { body: { source: 'CALL', data: {}, ...body } })).body;

let used = 0;
/** An email address and a phone number that no other test of the file uses. */
export const newEmail = () => `caller${++used}@example.com`;
export const newNumber = () => `+6149157${String(1000 + ++used).padStart(4, '0')}`;

/** Requests that many tests of inquiries make, for an organization. */
export const inquiryRequests = ({ api }: TestOrganization) => ({
  arrive: async (body: object) => (await postInquiry(api, body)).inquiry,
  change: ({ id }: Pick<Inquiry, 'id'>, body: object) =>
    api.call('updateInquiry', { params: { inquiryId: id }, body }),
  readInquiry: ({ id }: Pick<Inquiry, 'id'>) => api.call('getInquiry', { params: { inquiryId: id } }),
  leadNow: async (leadId: string) => (await api.call('getLead', { params: { leadId } })).lead,
  /** Ids on the only page of a list. */
  listed: async (query: Record<string, string | number>) => {
    const { inquiries, totalCount } = await api.call('listInquiries', { query });
    expect(totalCount).toBe(inquiries.length);
    return inquiries.map(({ id }) => id);
  },
});
