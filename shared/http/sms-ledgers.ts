import { timeToSend } from '../domain/sms/sms-provider.ts';

/** Milliseconds reserved to store the outcome of an SMS. */
const timeToRecord = 1000;

/**
 * Two ledgers of one caller. `before` stores an SMS before it is handed over, and stops while there is time
 * to send the SMS and to store the outcome. `after` stores the outcome.
 */
export const smsLedgers = <Caller extends { deadline: number }, Ledger>(
  ledgerOf: (caller: Caller) => Ledger,
  caller: Caller,
): { before: Ledger; after: Ledger } => ({
  before: ledgerOf({ ...caller, deadline: caller.deadline - timeToSend - timeToRecord }),
  after: ledgerOf(caller),
});
