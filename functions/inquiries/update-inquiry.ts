import { ok } from '../../shared/contract/endpoint.ts';
import { updateInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { updateInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateInquiryEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok(
    await updateInquiry(
      ledgerOf(principal),
      params.inquiryId,
      body,
      { refuseOutdated },
      ledgerOf(principal, { isSerializable: true }),
    ),
  ),
);
