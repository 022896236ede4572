import { created, ok, said } from '../../shared/contract/endpoint.ts';
import { createInquiryEndpoint, type StoredInquiry } from '../../shared/contract/inquiries.ts';
import type { SaidQuery } from '../../shared/contract/said.ts';
import { inquiries } from '../../shared/domain/inquiries/inquiry-record.ts';
import { readReceived, createInquiry, sayReceived } from '../../shared/domain/inquiries/create-inquiry.ts';
import { leads } from '../../shared/domain/leads/lead-record.ts';
import { unlessChanged } from '../../shared/http/idempotency.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  createInquiryEndpoint,
  async ({ query, body, principal, isAllowed }) => {
    const filling = { fillsContacts: isAllowed('leads:write') };
    const { isNew, ...received } = await createInquiry(ledgerOf(principal), body, filling);
    return answer(isNew, query, received);
  },
  once(async ({ ledger, request }) => {
    const [id, leadId] = [ledger.keptId(inquiries), ledger.keptId(leads)];
    return unlessChanged(ledger, async () => answer(true, request.query, await readReceived(ledger, id)), {
      inquiry: { id },
      lead: { id: leadId },
    });
  }),
);

function answer(isNew: boolean, { format }: SaidQuery, body: StoredInquiry) {
  if (format === 'say') return said(isNew ? 201 : 200, sayReceived(body));
  return isNew ? created(body) : ok(body);
}
