import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { headerOf } from '../gateway/compression.ts';
import type { HttpRequest, HttpResponse } from '../gateway/http-message.ts';
import { accountId } from '../arns.ts';

/**
 * Path that simulates an incoming SMS. The deployed API has neither this path nor the path that redrives dead
 * letters.
 */
export const smsPath = '/local/texts';
const redrivePath = '/local/redrive';

const pathOf = ({ target }: HttpRequest) => target.split('?')[0];

/** True if a request is for this machine itself, not for the API. */
export const isLocalRequest = (request: HttpRequest) =>
  request.method === 'POST' && [smsPath, redrivePath].includes(pathOf(request) ?? '');

/** Publishes an incoming SMS, or returns false if the template has no topic for it. */
interface SmsReceiver {
  receiveSms: (sms: IncomingSms) => boolean;
}

/**
 * Answers a request for this machine itself.
 * @param redrive puts dead letters back into their queues, and returns how many
 */
export function answerLocally(
  request: HttpRequest,
  { messages, redrive }: { messages: SmsReceiver; redrive: () => number },
): HttpResponse {
  // Otherwise a page in a browser could send the request.
  if (headerOf(request.headers, 'origin') !== '')
    return answer(403, { message: 'Web pages may not ask this' });
  if (pathOf(request) === redrivePath) return answer(200, { redriven: redrive() });
  const sms = parseSms(request.body.toString('utf8'));
  if ('problem' in sms) return answer(400, { message: sms.problem });
  if (!messages.receiveSms(sms))
    return answer(404, { message: 'The stack has no topic for texts that come in' });
  return answer(202, { inboundMessageId: sms.inboundMessageId });
}

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
  outcomes: [],
});

/** An incoming SMS, as the provider publishes it. */
export interface IncomingSms {
  originationNumber: string;
  destinationNumber: string;
  messageKeyword: string;
  messageBody: string;
  inboundMessageId: string;
  previousPublishedMessageId?: string;
}

/** A phone number in a form. `curl -d` sends a form, where `+` is a space. */
const PhoneNumber = v.pipe(
  v.string('is missing'),
  v.transform((text) => text.replace(/^ /, '+')),
  v.regex(/^\+[1-9]\d{6,14}$/, 'must be a number such as +61491570156'),
);

const Played = v.strictObject(
  {
    from: PhoneNumber,
    to: PhoneNumber,
    text: v.string('is missing'),
    id: v.optional(v.pipe(v.string(), v.nonEmpty('must not be empty'))),
    answers: v.optional(v.pipe(v.string(), v.nonEmpty('must not be empty'))),
  },
  ({ expected }) =>
    expected === 'never' ? 'is not known: there are from, to, text, id and answers' : 'is missing',
);

/**
 * Reads an incoming SMS from a form with `from`, `to` and `text`. Optional fields are `id` (the provider's id
 * of the SMS) and `answers` (the id of the SMS that it answers). Returns the problem of a malformed form.
 */
export function parseSms(form: string): IncomingSms | { problem: string } {
  const parsed = v.safeParse(Played, Object.fromEntries(new URLSearchParams(form)));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return { problem: `${v.getDotPath(issue) ?? 'The text'} ${issue.message}` };
  }
  const { from, to, text, id = randomUUID(), answers } = parsed.output;
  return {
    originationNumber: from,
    destinationNumber: to,
    messageKeyword: `KEYWORD_${accountId}`,
    messageBody: text,
    inboundMessageId: id,
    ...(answers !== undefined && { previousPublishedMessageId: answers }),
  };
}
