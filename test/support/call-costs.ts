import { dueShards } from '../../shared/ledger/internal/keys.ts';
import type { Cost } from './operations.ts';

/**
 * Exact costs of calls that no operation of the API stands for, each as round trips, read units and write
 * units. The named test asserts each.
 */
export const callCosts = {
  /** Authorizer, at most once per token and minute: `test/shared/http/authorize.test.ts`. */
  authorize: [1, 1, 0],
  /** Note in the grant of a token on the first use of a day. */
  noteUse: [1, 0, 1],
  /**
   * Page of 50 leads with an email address and a phone number, page of 50 inquiries, and the inquiry of a
   * lead's phone call: `test/cost/cost.full.test.ts`.
   */
  pageOfLeads: [1, 9, 0],
  pageOfInquiries: [1, 8, 0],
  inquiry: [3, 3, 19],
  /** SMS of a lead who has texted before, and report of a sent SMS: `test/shared/domain/sms/costs.test.ts`. */
  textIn: [6, 11, 24],
  report: [2, 2, 7],
  /**
   * Run of the sender of webhooks for one event of a lead that the receiver accepts, for an event that it
   * does not accept, and for nothing. A further event of the same run has the cost `nextDelivery`. Each call is a round
   * trip: `test/shared/domain/sending/send-webhooks.test.ts`.
   */
  delivery: [10, 9, 4],
  nextDelivery: [4, 2, 3],
  failedAttempt: [10, 9, 6],
  idleWebhook: [4, 5, 0],
  /** Run of a scheduled worker that finds nothing to do: `test/shared/ledger/due.test.ts`. */
  idleWorker: [dueShards, dueShards / 2, 0],
} as const satisfies Record<string, Cost>;
