import { created } from '../../shared/contract/endpoint.ts';
import { createFaqEndpoint } from '../../shared/contract/faqs.ts';
import { createFaq } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createFaqEndpoint, async ({ body, caller }) =>
  created({ faq: await createFaq(ledgerOf(caller), body) }),
);
