import { ok } from '../../shared/endpoints/endpoint.ts';
import { getInquiry } from '../../shared/endpoints/inquiries.ts';
import { serve } from '../../shared/http/serve.ts';
import * as inquiries from '../../shared/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(getInquiry, async ({ params, caller }) =>
  ok(await inquiries.getInquiry(ledgerOf(caller), params.inquiryId)),
);
