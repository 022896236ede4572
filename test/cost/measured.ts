import type { Cost } from '../support/operations.ts';

/**
 * Costs of calls that a month consists of, beside the operations' own costs, each as round trips, read units,
 * write units. cost.test.ts measures them.
 */
export const measured = {
  /** Authorizer, called once per token and minute. */
  authorize: [1, 1, 0],
  /** Page of 50 leads, each with an email address and a phone number, and page of 50 inquiries. */
  pageOfLeads: [1, 10, 0],
  pageOfInquiries: [1, 8, 0],
  /** Inquiry of a lead's phone call. */
  inquiry: [3, 3, 21],
  /** Incoming SMS of a lead who has texted before, and delivery report of a sent one. */
  textIn: [6, 11, 25],
  report: [2, 2, 7],
  /** Run of the sender for one event of a lead, whose receiver accepts it, or does not; and for nothing. As calls. */
  delivery: [10, 9, 4],
  failedAttempt: [10, 9, 6],
  idleWebhook: [4, 5, 0],
  /** Run of a scheduled worker that finds nothing to do. */
  idleWorker: [8, 4, 0],
} as const satisfies Record<string, Cost>;

interface Bytes {
  lead: number;
  inquiry: number;
}

/**
 * Bytes stored of each record, rounded up to a hundred: with its event, its unique values, and the 100 bytes
 * that DynamoDB adds to each item. AWS charges point-in-time recovery by the bytes in the table alone.
 */
export const storedBytes: Readonly<Record<'table' | 'indexes', Bytes>> = {
  table: { lead: 1500, inquiry: 1600 },
  indexes: { lead: 2700, inquiry: 3800 },
};
