import { ok } from '../../shared/contract/endpoint.ts';
import { listFaqsEndpoint } from '../../shared/contract/faqs.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listFaqs } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listFaqsEndpoint, async ({ query, caller }) =>
  ok(pageOf('faqs', await listFaqs(ledgerOf(caller), query), query)),
);
