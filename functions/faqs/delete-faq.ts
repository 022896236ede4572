import { ok } from '../../shared/contract/endpoint.ts';
import { deleteFaqEndpoint } from '../../shared/contract/faqs.ts';
import { deleteFaq } from '../../shared/domain/faqs/faqs.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(deleteFaqEndpoint, async ({ params, refuseOutdated, principal }) => {
  await deleteFaq(ledgerOf(principal), params.faqId, { refuseOutdated });
  return ok({ message: 'FAQ deleted successfully' });
});
