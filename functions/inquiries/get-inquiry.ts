import { ok } from '../../shared/contract/endpoint.ts';
import { getInquiry } from '../../shared/contract/inquiries.ts';
import { serve } from '../../shared/http/serve.ts';
import * as inquiries from '../../shared/domain/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(getInquiry, async ({ params, caller }) =>
  ok(await inquiries.getInquiry(ledgerOf(caller), params.inquiryId)),
);
