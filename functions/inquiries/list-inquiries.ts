import { ok } from '../../shared/contract/endpoint.ts';
import { listInquiriesEndpoint } from '../../shared/contract/inquiries.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import { listInquiries } from '../../shared/domain/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { readTimeZone } from '../../shared/http/time-zone.ts';

export const handler = serve(
  listInquiriesEndpoint,
  async ({ query, principal }) =>
    ok(pageOf('inquiries', await listInquiries(ledgerOf(principal), query), query)),
  { readTimeZone },
);
