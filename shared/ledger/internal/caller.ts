import type { OrganizationCode } from '../../core/ids.ts';
import type { ConsumedCapacity } from './consumed-capacity.ts';

/** On whose behalf the ledger acts, and within which limits. */
export interface Caller {
  /** From the authorizer's context, and from nowhere else. */
  organization: OrganizationCode;
  /** The user that the token acts for; written into every event. */
  userId: string;
  /** When to stop trying, in epoch milliseconds. Read anew for each call: who keeps a ledger for long moves it on. */
  deadline: number;
  capacity: ConsumedCapacity;
}
