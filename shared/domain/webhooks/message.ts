import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Hint that a webhook may have events to send: up to the number `upTo`, or any events if `upTo` is 0. The ledger
 * decides which events are sent.
 */
export const WebhookMessage = v.strictObject({
  organization: OrganizationCode,
  webhook: v.pipe(Count, v.minValue(1)),
  upTo: Count,
});
export type WebhookMessage = v.InferOutput<typeof WebhookMessage>;

/** Name of the group that a message is in: the messages of one webhook are received one after the other. */
export const groupOf = ({ organization, webhook }: WebhookMessage): string => `${organization}#${webhook}`;

/**
 * Deduplication id of a message. For five minutes, the queue drops another message with the same id.
 * @param reason why there is a message; the number of the last event by default
 */
export const deduplicationOf = (message: WebhookMessage, reason = String(message.upTo)): string =>
  `${groupOf(message)}#${reason}`;

/** Sends messages to the queue of webhooks. @throws Error if a message may be missing in the queue */
export type QueueWebhooks = (
  messages: readonly { message: WebhookMessage; deduplication: string }[],
) => Promise<void>;
