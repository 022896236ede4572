import { getInquiry, listInquiries, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { receiveInquiry } from '../../../shared/domain/inquiries/receive-inquiry.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listInquiries: {
    cost: [2, 2.5, 0],
    run: (ledger) => listInquiries(ledger, { ...page, source: 'CALL', expand: 'both' }),
    // A list of all inquiries is read otherwise, with another action.
    otherWay: (ledger) => listInquiries(ledger, page),
    request: () => ({}),
  },
  createInquiry: {
    // The lead is found and filled in. The inquiry has a tag, so the state of the tag's list is read as well.
    cost: [4, 9, 26],
    run: (ledger) =>
      receiveInquiry(ledger, {
        source: 'CALL',
        tag: 'Hot water',
        externalInquiryId: 'call-1',
        lead: { email: 'ann@example.com', suburb: 'Leichhardt' },
        data: {},
      }),
    otherWay: async (ledger) => {
      const sms = {
        source: 'SMS',
        externalInquiryId: 'sms-1',
        data: { messages: [{ text: 'Hi' }] },
      } as const;
      const lead = { phone: '+61491570157' };
      await receiveInquiry(ledger, { ...sms, data: { messages: [{ text: 'Hi' }] }, lead });
      await receiveInquiry(ledger, { ...sms, data: {}, lead });
    },
    request: ({ leadId }, n) => ({
      body: { source: 'EMAIL', externalInquiryId: `request-${n}`, leadId, data: { subject: `Quote ${n}` } },
    }),
  },
  getInquiry: {
    cost: [2, 2.5, 0],
    run: (ledger, { inquiryIds }) => getInquiry(ledger, inquiryIds.SMS),
    request: ({ inquiryIds }) => ({ params: { inquiryId: inquiryIds.CALL } }),
  },
  updateInquiry: {
    cost: [3, 4, 18],
    run: (ledger, { inquiryIds }) =>
      updateInquiry(ledger, inquiryIds.CALL, { isRead: true, isFlagged: true, summary: 'Done' }),
    otherWay: (ledger, { inquiryIds }) => updateInquiry(ledger, inquiryIds.SMS, { tag: 'Late' }),
    request: ({ inquiryIds }, n) => ({
      params: { inquiryId: inquiryIds.WEBFORM },
      body: { summary: `Contact form, ${n}` },
    }),
  },
};
