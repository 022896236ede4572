import { created, ok } from '../../shared/contract/endpoint.ts';
import { createInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { inquiries } from '../../shared/domain/inquiries/inquiry-record.ts';
import { readReceived, receiveInquiry } from '../../shared/domain/inquiries/receive-inquiry.ts';
import { leads } from '../../shared/domain/leads/lead-record.ts';
import { once, unlessChanged } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(
  createInquiryEndpoint,
  async ({ body, caller, isAllowed }) => {
    const filling = { fillsContacts: isAllowed('leads:write') };
    const { isNew, inquiry, lead } = await receiveInquiry(ledgerOf(caller), body, filling);
    return isNew ? created({ inquiry, lead }) : ok({ inquiry, lead });
  },
  once(ledgerOf, async ({ ledger }) => {
    const [id, leadId] = [ledger.keptId(inquiries), ledger.keptId(leads)];
    return unlessChanged(ledger, async () => created(await readReceived(ledger, id)), {
      inquiry: { id },
      lead: { id: leadId },
    });
  }),
);
