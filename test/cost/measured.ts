import type { Cost } from '../support/operations/operation.ts';

/**
 * What the cost of a month is made of, beside the operations' own costs: cost.test.ts measures each. Round trips, read
 * units, write units.
 */
export const measured = {
  /** The authorizer, asked once per token and minute. */
  authorize: [1, 1, 0],
  /** A page of 50 leads, each with an email address and a phone number; of 50 inquiries. */
  pageOfLeads: [1, 10, 0],
  pageOfInquiries: [1, 8, 0],
  /** A call that comes in from a lead. */
  inquiry: [3, 3, 21],
  /** A text that comes in from a lead who has texted before; a report of delivery of one that was sent. */
  textIn: [7, 12.5, 25],
  report: [2, 2, 7],
  /** Each time that a worker on a schedule finds nothing to do. */
  idleWorker: [8, 4, 0],
} as const satisfies Record<string, Cost>;

interface Bytes {
  lead: number;
  inquiry: number;
}

/**
 * Bytes stored of each, to the next hundred: with its event and its unique values, and the 100 bytes that DynamoDB adds to
 * each item. Point-in-time recovery is charged by those in the table alone.
 */
export const storedBytes: Readonly<Record<'table' | 'indexes', Bytes>> = {
  table: { lead: 1400, inquiry: 1500 },
  indexes: { lead: 2500, inquiry: 3700 },
};
