import * as v from 'valibot';

/** A message in a queue. */
export const QueueMessage = v.object({
  id: v.string(),
  body: v.string(),
  /** Epoch milliseconds. */
  sentAt: v.number(),
  /** Number of times that a function received the message. */
  receives: v.number(),
});
export type QueueMessage = v.InferOutput<typeof QueueMessage>;
