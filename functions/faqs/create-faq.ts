import { created } from '../../shared/contract/endpoint.ts';
import { createFaqEndpoint } from '../../shared/contract/faqs.ts';
import { faqs, createFaq, getFaq } from '../../shared/domain/faqs/faqs.ts';
import { onceStored } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createFaqEndpoint,
  async ({ body, principal }) => created({ faq: await createFaq(ledgerOf(principal), body) }),
  onceStored(faqs, 'faq', async (ledger, id) => created({ faq: await getFaq(ledger, id) })),
);
