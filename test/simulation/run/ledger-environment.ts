import { currentInvocation } from './invocation.ts';
import type { Store } from '../../../shared/ledger/index.ts';

/**
 * Replaces `shared/http/table.ts`: gives access to the table with the client of the running request's
 * environment.
 */
export const ledgerOf: Store['ledgerOf'] = (caller) => currentInvocation().environment.store.ledgerOf(caller);

export const organizationOfPhoneNumber: Store['organizationOfPhoneNumber'] = (phone, limits) =>
  currentInvocation().environment.store.organizationOfPhoneNumber(phone, limits);

export const grantOf: Store['grantOf'] = (tokenHash, limits) =>
  currentInvocation().environment.store.grantOf(tokenHash, limits);
