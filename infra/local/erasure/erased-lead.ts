import type { Ledger } from '../../../shared/ledger/index.ts';

/** A lead that was erased. */
export interface ErasedLead {
  /** Of its organization. */
  ledger: Ledger;
  /** The phone numbers that are known to have been the person's, each as it is compared (`comparableNumber`). */
  numbers: ReadonlySet<string>;
  /** Whether no lead of the organization has a number now: who wrote again after an erasure is a new lead. */
  belongsToNoLead: (number: string) => Promise<boolean>;
}
