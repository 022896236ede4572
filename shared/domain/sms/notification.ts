import * as v from 'valibot';
import type { ReceivedSms } from './receive-sms.ts';
import type { DeliveryReport } from './report-delivery.ts';

/** What the provider tells: of a text that came in, or of one that was sent; undefined for what nobody waits for. */
export type Notification =
  { received: ReceivedSms } | { delivered: DeliveryReport & { organization: string } } | undefined;

/**
 * What a topic puts into a queue.
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

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/phone-numbers-two-way-sms-payload.html */
const Incoming = v.object({
  originationNumber: v.string(),
  destinationNumber: v.string(),
  messageBody: v.optional(v.nullable(v.string()), ''),
  inboundMessageId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  previousPublishedMessageId: v.optional(v.nullable(v.string())),
});

/** https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-format.html */
const Report = v.object({
  eventType: v.pipe(v.string(), v.startsWith('TEXT_')),
  isFinal: v.boolean(),
  messageId: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  context: v.optional(v.nullable(v.record(v.string(), v.string()))),
});

/** Reads what a topic put into a queue. @throws Error for what is neither a text nor a report of delivery */
export function readNotification(body: string): Notification {
  const { Message, Timestamp } = read(v.pipe(v.string(), v.parseJson(), Envelope), body);
  const parsed = read(v.union([Incoming, Report]), Message);
  if ('inboundMessageId' in parsed) {
    const { originationNumber: from, destinationNumber: to, messageBody, inboundMessageId: id } = parsed;
    const inReplyTo = parsed.previousPublishedMessageId ?? undefined;
    return { received: { id, from, to, text: messageBody ?? '', at: Timestamp, inReplyTo } };
  }
  const { eventType, isFinal, messageId: providerId, context } = parsed;
  const { organization, message } = context ?? {};
  // The provider does not know what became of it: then what is stored says as much.
  const isKnown = isFinal && eventType !== 'TEXT_UNKNOWN';
  if (!isKnown || organization === undefined || message === undefined) return undefined;
  return { delivered: { organization, message, providerId, status: statusOf(eventType) } };
}

/** As `v.parse`, but the error, which is logged, quotes nothing: a text and its numbers are nobody else's. */
function read<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const { success, output, issues = [] } = v.safeParse(schema, value);
  if (success) return output;
  const where = issues.map((issue) => v.getDotPath(issue) ?? issue.type);
  throw new Error(`The topic tells neither of a text nor of a report that can be read: ${where.join(', ')}`);
}

/** TEXT_SUCCESSFUL is what a carrier says that does not report the delivery itself. */
const statusOf = (eventType: string): DeliveryReport['status'] =>
  eventType === 'TEXT_DELIVERED' || eventType === 'TEXT_SUCCESSFUL' ? 'DELIVERED' : 'UNDELIVERED';
