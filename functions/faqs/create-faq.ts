import { created } from '../../shared/contract/endpoint.ts';
import { createFaq } from '../../shared/contract/faqs.ts';
import * as faqs from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createFaq, async ({ body, caller }) =>
  created({ faq: await faqs.createFaq(ledgerOf(caller), body) }),
);
