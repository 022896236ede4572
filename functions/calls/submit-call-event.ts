import { submitCallEventEndpoint } from '../../shared/contract/call-events.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { takeCallEvent } from '../../shared/domain/calls/take-call-event.ts';
import { once } from '../../shared/http/idempotency.ts';
import { sentEvents } from '../../shared/http/sent-events.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

const maxPerDay = Number(process.env['FORMS_PER_KEY_PER_DAY']);

export const handler = serve(
  submitCallEventEndpoint,
  async ({ body, principal }) => {
    const { tokenId: keyId = 0 } = principal;
    return ok(await takeCallEvent(ledgerOf(principal), body, { keyId, maxPerDay }));
  },
  // Taking an event twice is harmless.
  once(ledgerOf, ({ goOn }) => goOn()),
  sentEvents,
);
