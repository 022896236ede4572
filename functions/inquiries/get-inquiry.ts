import { ok } from '../../shared/contract/endpoint.ts';
import { getInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { serve } from '../../shared/http/serve.ts';
import { getInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  getInquiryEndpoint,
  async ({ params, principal }) => ok(await getInquiry(ledgerOf(principal), params.inquiryId)),
  { readTimeZone },
);
