import { ok } from '../../shared/contract/endpoint.ts';
import { answerRingingEndpoint } from '../../shared/contract/receptionist.ts';
import { system } from '../../shared/http/outside/system.ts';
import { answerRinging } from '../../shared/domain/receptionist/answer-ringing.ts';
import { once } from '../../shared/http/once.ts';
import { sentEvents } from '../../shared/http/sent-events.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(
  answerRingingEndpoint,
  async ({ body, query, principal, report }) =>
    ok(await answerRinging(ledgerOf(principal), body.json, query, { system, report })),
  once(({ goOn }) => goOn()),
  sentEvents,
);
