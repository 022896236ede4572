import { timeToSend } from '../domain/sms/sms-provider.ts';

/** Milliseconds reserved to store the outcome of an SMS. */
const timeToRecord = 1000;

/**
 * Two ledgers of one principal. `before` stores an SMS before it is handed over, and stops while there is time
 * to send the SMS and to store the outcome. `after` stores the outcome.
 */
export const smsLedgers = <Principal extends { deadline: number }, Ledger>(
  ledgerOf: (principal: Principal) => Ledger,
  principal: Principal,
): { before: Ledger; after: Ledger } => ({
  before: ledgerOf({ ...principal, deadline: principal.deadline - timeToSend - timeToRecord }),
  after: ledgerOf(principal),
});
