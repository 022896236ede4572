import { created } from '../../shared/endpoints/endpoint.ts';
import { createFaq } from '../../shared/endpoints/faqs.ts';
import * as faqs from '../../shared/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';

export const handler = serve(createFaq, async ({ body, caller }) =>
  created({ faq: await faqs.createFaq(ledgerOf(caller), body) }),
);
