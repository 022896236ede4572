import * as v from 'valibot';
import { filledLine } from '../../contract/fields.ts';
import type { ReceivedSms } from './receive-sms.ts';
import type { DeliveryReport } from './report-delivery.ts';

/** The provider's notification of an incoming SMS or of a delivery; undefined if it needs no action. */
export type Notification =
  | { received: ReceivedSms }
  | { delivered: DeliveryReport & { organization: string } }
  | undefined;

/**
 * A message of a topic, as a queue holds it.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-sqs-as-subscriber.html
 */
const Envelope = v.object({
  Message: v.pipe(v.string(), v.parseJson()),
  Timestamp: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((time) => new Date(time).toISOString()),
  ),
});

/** The provider's id of a message. */
const messageId = filledLine(200);

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/phone-numbers-two-way-sms-payload.html */
const Incoming = v.object({
  originationNumber: v.string(),
  destinationNumber: v.string(),
  messageBody: v.optional(v.nullable(v.string()), ''),
  inboundMessageId: messageId,
  // An unreadable id of the answered message must not lose the SMS.
  previousPublishedMessageId: v.fallback(v.optional(messageId), undefined),
});

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-format.html */
const Report = v.object({
  eventType: v.pipe(v.string(), v.startsWith('TEXT_')),
  isFinal: v.boolean(),
  messageId,
  context: v.optional(v.nullable(v.record(v.string(), v.string()))),
});

/**
 * Parses a message of the topic, as a queue holds it. @throws Error if it is neither an incoming SMS nor a
 * delivery report
 */
export function readNotification(body: string): Notification {
  const { Message, Timestamp } = read(v.pipe(v.string(), v.parseJson(), Envelope), body);
  const parsed = read(v.union([Incoming, Report]), Message);
  if ('inboundMessageId' in parsed) {
    const { originationNumber: from, destinationNumber: to, messageBody, inboundMessageId: id } = parsed;
    const inReplyTo = parsed.previousPublishedMessageId;
    return { received: { id, from, to, text: messageBody ?? '', at: Timestamp, inReplyTo } };
  }
  const { eventType, isFinal, messageId: providerId, context } = parsed;
  const { organization, message } = context ?? {};
  // TEXT_UNKNOWN means that the provider does not know the outcome, so it adds nothing to the stored status.
  const isKnown = isFinal && eventType !== 'TEXT_UNKNOWN';
  if (!isKnown || organization === undefined || message === undefined) return undefined;
  return { delivered: { organization, message, providerId, status: statusOf(eventType) } };
}

/** `v.parse` without values in the error: it is logged, and the text and its numbers are private. */
function read<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const { success, output, issues = [] } = v.safeParse(schema, value);
  if (success) return output;
  const where = issues.map((issue) => v.getDotPath(issue) ?? issue.type);
  throw new Error(`The topic tells neither of a text nor of a report that can be read: ${where.join(', ')}`);
}

/** TEXT_SUCCESSFUL comes from carriers that do not report the delivery itself. */
const statusOf = (eventType: string): DeliveryReport['status'] =>
  eventType === 'TEXT_DELIVERED' || eventType === 'TEXT_SUCCESSFUL' ? 'DELIVERED' : 'UNDELIVERED';
