import { created, ok } from '../../shared/contract/endpoint.ts';
import { createInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { receiveInquiry } from '../../shared/domain/inquiries/receive-inquiry.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(createInquiryEndpoint, async ({ body, caller, isAllowed }) => {
  const filling = { fillsContacts: isAllowed('leads:write') };
  const { isNew, inquiry, lead } = await receiveInquiry(ledgerOf(caller), body, filling);
  return isNew ? created({ inquiry, lead }) : ok({ inquiry, lead });
});
