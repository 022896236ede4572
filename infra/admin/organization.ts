import type { OrganizationCode } from '../../shared/core/ids.ts';
import type { Ledger } from '../../shared/ledger/internal/ledger.ts';
import { ownerIdOf } from '../../shared/domain/members/members.ts';
import { findOrganization } from '../../shared/domain/organizations/organizations.ts';
import { AdminError } from './admin-error.ts';
import type { Context } from './command.ts';
import { Failure } from '../../shared/core/failure.ts';

export interface OpenedOrganization {
  ledger: Ledger;
  code: OrganizationCode;
  ownerId: string;
  /** Its name and code, for a sentence. */
  title: string;
}

/** The ledger of an organization; events tell its owner, for whom the operator acts. @throws AdminError where there is none */
export async function openOrganization(
  code: OrganizationCode,
  { store, limits, place }: Context,
): Promise<OpenedOrganization> {
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  const organization = await findOrganization(ledger);
  if (!organization) {
    throw new AdminError(
      `There is no organization ${code} ${place}: check the code, and that it is from there.`,
    );
  }
  return { ledger, code, ownerId, title: `${organization.name} (${code})` };
}

/** What a call gives. @throws AdminError with this sentence where what it names is not there */
export async function orNotFound<T>(call: Promise<T>, sentence: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') throw new AdminError(sentence);
    throw error;
  }
}
