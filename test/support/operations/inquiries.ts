import { getInquiry, listInquiries } from '../../../shared/domain/inquiries/inquiries.ts';
import { page } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  listInquiries: {
    cost: [2, 2.5, 0],
    run: (ledger) => listInquiries(ledger, { ...page, source: 'CALL', expand: 'both' }),
    // Done another way, and with another action.
    otherWay: (ledger) => listInquiries(ledger, page),
    request: () => ({}),
  },
  getInquiry: {
    cost: [2, 2.5, 0],
    run: (ledger, { inquiryIds }) => getInquiry(ledger, inquiryIds.SMS),
    request: ({ inquiryIds }) => ({ params: { inquiryId: inquiryIds.CALL } }),
  },
};
