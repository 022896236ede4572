import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { pseudo } from '../intrinsics.ts';

/** A text message that comes in, as the provider publishes it. */
export interface IncomingSms {
  originationNumber: string;
  destinationNumber: string;
  messageKeyword: string;
  messageBody: string;
  inboundMessageId: string;
  previousPublishedMessageId?: string;
}

/** In a form, which is what `curl -d` sends, `+` is a space. */
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
 * Reads a text message that comes in from a form: `from`, `to`, `text`, and as one likes `id` (the provider's id of it) and
 * `answers` (that of the text that it answers). Returns what is wrong with it instead.
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
