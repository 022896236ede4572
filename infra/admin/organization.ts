import type { OrganizationCode } from '../../shared/core/ids.ts';
import { ownerIdOf } from '../../shared/domain/members/members.ts';
import { findOrganization } from '../../shared/domain/organizations/organizations.ts';
import { AdminError } from './admin-error.ts';
import type { CommandContext } from './command.ts';
import { Failure } from '../../shared/core/failure.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

export interface OpenedOrganization {
  ledger: Ledger;
  code: OrganizationCode;
  ownerId: string;
  /** Name and code, for messages. */
  title: string;
  /** Extends the ledger's deadline by a full timeout, between the parts of a long command. */
  renewLimits: () => void;
}

/** Opens an organization's ledger. The operator acts as its owner. @throws AdminError if there is none */
export async function openOrganization(
  code: OrganizationCode,
  { store, freshLimits, place }: CommandContext,
): Promise<OpenedOrganization> {
  const ownerId = ownerIdOf(code);
  const principal = { organization: code, userId: ownerId, ...freshLimits() };
  const ledger = store.ledgerOf(principal);
  const organization = await findOrganization(ledger);
  if (!organization) throw noOrganization(code, place);
  const renewLimits = () => void Object.assign(principal, freshLimits());
  return { ledger, code, ownerId, title: `${organization.name} (${code})`, renewLimits };
}

export const noOrganization = (code: OrganizationCode, place: string): AdminError =>
  new AdminError(`There is no organization ${code} ${place}: check the code, and that it is from there.`);

/** Awaits a call. @throws AdminError with this sentence instead of a `notFound` Failure */
export async function orNotFound<T>(call: Promise<T>, sentence: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') throw new AdminError(sentence);
    throw error;
  }
}
