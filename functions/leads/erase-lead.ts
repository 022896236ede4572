import { ok } from '../../shared/contract/endpoint.ts';
import { eraseLeadEndpoint, erasureMessages } from '../../shared/contract/lead-erasure.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { eraseLead } from '../../shared/domain/erasure/erase-lead.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  eraseLeadEndpoint,
  async ({ params, principal }) => {
    const done = await eraseLead(ledgerOf(principal), params.leadId);
    return ok({ message: done ? erasureMessages.done : erasureMessages.notDone, done });
  },
  once(({ goOn }) => goOn()),
);
