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

/**
 * Name of the group that a message is in. The queue gives out the messages of one group one after the other. Each
 * organization has so many groups, its lanes, so it never holds more senders than that. A webhook stays in one lane.
 */
export const groupOf = ({ organization, webhook }: WebhookMessage, lanes: number): string =>
  `${organization}#${webhook % lanes}`;

/**
 * Deduplication id of a message. For five minutes, the queue drops another message with the same id.
 * @param reason why there is a message; the number of the last event by default
 */
export const deduplicationOf = (
  { organization, webhook, upTo }: WebhookMessage,
  reason = String(upTo),
): string => `${organization}#${webhook}#${reason}`;

/** Sends messages to the queue of webhooks. @throws Error if a message may be missing in the queue */
export type QueueWebhooks = (
  messages: readonly { message: WebhookMessage; deduplication: string }[],
) => Promise<void>;
