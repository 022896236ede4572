import { ok } from '../../shared/contract/endpoint.ts';
import { getFaqEndpoint } from '../../shared/contract/faqs.ts';
import { getFaq } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getFaqEndpoint, async ({ params, principal }) =>
  ok({ faq: await getFaq(ledgerOf(principal), params.faqId) }),
);
