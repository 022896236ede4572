import { ok } from '../../shared/contract/endpoint.ts';
import { updateFaqEndpoint } from '../../shared/contract/faqs.ts';
import { updateFaq } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateFaqEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ faq: await updateFaq(ledgerOf(principal), params.faqId, body, { refuseOutdated }) }),
);
