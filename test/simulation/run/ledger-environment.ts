import { currentInvocation } from './invocation.ts';
import type { Store } from '../../../shared/ledger/index.ts';

/** In the place of `shared/http/table.ts`: the table as the environment of the request under way has it. */
export const ledgerOf: Store['ledgerOf'] = (caller) => currentInvocation().environment.store.ledgerOf(caller);

export const organizationOfPhoneNumber: Store['organizationOfPhoneNumber'] = (phone, limits) =>
  currentInvocation().environment.store.organizationOfPhoneNumber(phone, limits);

export const grantOf: Store['grantOf'] = (tokenHash, limits) =>
  currentInvocation().environment.store.grantOf(tokenHash, limits);
