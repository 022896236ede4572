import { ok, said } from '../../shared/contract/endpoint.ts';
import { listFaqsEndpoint } from '../../shared/contract/faqs.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { answerQuestion, listFaqs } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listFaqsEndpoint, async ({ query, principal }) => {
  const ledger = ledgerOf(principal);
  return query.format === 'say' && query.q !== undefined
    ? said(200, await answerQuestion(ledger, query.q))
    : ok(pageOf('faqs', await listFaqs(ledger, query), query));
});
