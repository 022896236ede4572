import { timeToSend } from '../domain/sms/sms-provider.ts';

/** Time reserved to store the outcome of a text, in milliseconds. */
const timeToRecord = 1000;

/**
 * The ledger by which a text is stored before it is handed over, and the one by which its outcome is stored after: the first
 * stops while there is time for both.
 */
export const smsLedgers = <Caller extends { deadline: number }, Ledger>(
  ledgerOf: (caller: Caller) => Ledger,
  caller: Caller,
): { before: Ledger; after: Ledger } => ({
  before: ledgerOf({ ...caller, deadline: caller.deadline - timeToSend - timeToRecord }),
  after: ledgerOf(caller),
});
