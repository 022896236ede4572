import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { pseudo } from '../intrinsics.ts';

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
 * Reads an incoming SMS from a form with `from`, `to` and `text`, and optionally `id` (the provider's id of
 * the SMS) and `answers` (the id of the SMS that it answers). Returns the problem of a malformed form.
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
    messageKeyword: `KEYWORD_${pseudo['AWS::AccountId'] ?? ''}`,
    messageBody: text,
    inboundMessageId: id,
    ...(answers !== undefined && { previousPublishedMessageId: answers }),
  };
}
