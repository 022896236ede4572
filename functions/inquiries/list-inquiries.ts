import { ok } from '../../shared/endpoints/endpoint.ts';
import { listInquiries } from '../../shared/endpoints/inquiries.ts';
import { pageOf } from '../../shared/endpoints/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as inquiries from '../../shared/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(listInquiries, async ({ query, caller }) =>
  ok(pageOf('inquiries', await inquiries.listInquiries(ledgerOf(caller), query), query)),
);
