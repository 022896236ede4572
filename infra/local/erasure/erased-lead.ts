import type { Ledger } from '../../../shared/ledger/index.ts';

export interface ErasedLead {
  /** Ledger of the lead's organization. */
  ledger: Ledger;
  /** Phone numbers known to be the person's, in the form that `comparableNumber` returns. */
  numbers: ReadonlySet<string>;
  /**
   * True if no lead of the organization has the number now. A person who writes again after an erasure is a
   * new lead.
   */
  belongsToNoLead: (number: string) => Promise<boolean>;
}
