import { headerOf } from '../compression.ts';
import type { HttpResponse, HttpRequest } from '../http-message.ts';
import type { MessageService } from './message-service.ts';
import { parseSms } from './incoming-sms.ts';

/**
 * Path that simulates an incoming SMS. The deployed API has neither this path nor the one that redrives dead
 * letters.
 */
export const smsPath = '/local/texts';
const redrivePath = '/local/redrive';

const pathOf = ({ target }: HttpRequest) => target.split('?')[0];

/** True if a request is for this machine itself, not for the API. */
export const isLocalRequest = (request: HttpRequest) =>
  request.method === 'POST' && [smsPath, redrivePath].includes(pathOf(request) ?? '');

/**
 * Answers a request for this machine itself.
 * @param redrive puts dead letters back into their queues, and returns how many
 */
export function answerLocally(
  request: HttpRequest,
  { messages, redrive }: { messages: Pick<MessageService, 'receiveSms'>; redrive: () => number },
): HttpResponse {
  // Otherwise a page in a browser could send the request.
  if (headerOf(request.headers, 'origin') !== '')
    return answer(403, { message: 'Web pages may not ask this' });
  if (pathOf(request) === redrivePath) return answer(200, { redriven: redrive() });
  const text = parseSms(request.body.toString('utf8'));
  if ('problem' in text) return answer(400, { message: text.problem });
  if (!messages.receiveSms(text))
    return answer(404, { message: 'The stack has no topic for texts that come in' });
  return answer(202, { inboundMessageId: text.inboundMessageId });
}

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
  outcomes: [],
});
