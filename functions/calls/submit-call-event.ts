import { submitCallEventEndpoint } from '../../shared/contract/call-events.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { submitCallEvent } from '../../shared/domain/calls/submit-call-event.ts';
import { once } from '../../shared/http/once.ts';
import { sentEvents } from '../../shared/http/sent-events.ts';
import { serve } from '../../shared/http/serve.ts';
import { settings } from '../../shared/http/outside/settings.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  submitCallEventEndpoint,
  async ({ body, principal }) => {
    const { tokenId: keyId = 0 } = principal;
    return ok(
      await submitCallEvent(ledgerOf(principal), body, { keyId, maxPerDay: settings.maxPerKeyAndDay }),
    );
  },
  // Taking an event twice is harmless.
  once(({ goOn }) => goOn()),
  sentEvents,
);
