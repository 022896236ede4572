import { ok } from '../../shared/contract/endpoint.ts';
import { listInquiries } from '../../shared/contract/inquiries.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { serve } from '../../shared/http/serve.ts';
import * as inquiries from '../../shared/domain/inquiries/inquiries.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listInquiries, async ({ query, caller }) =>
  ok(pageOf('inquiries', await inquiries.listInquiries(ledgerOf(caller), query), query)),
);
