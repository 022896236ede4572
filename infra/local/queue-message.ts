import * as v from 'valibot';

/** A message in a queue. */
export const QueueMessage = v.object({
  id: v.string(),
  body: v.string(),
  /** In epoch milliseconds. */
  sentAt: v.number(),
  /** How often a function was called with it. */
  receives: v.number(),
});
export type QueueMessage = v.InferOutput<typeof QueueMessage>;
