import { lacksGivenScopes, mayNotManageTokens, sentences } from '../../contract/errors.ts';
import { rolesGivenBy } from '../../contract/roles.ts';
import { scopesBeyondHeld, type Scope } from '../../contract/scopes.ts';
import { Failure } from '../../core/failure.ts';
import type { Write } from '../../ledger/index.ts';
import { memberRef, type MemberRecord } from '../members/members.ts';

/** Sender of a request that manages tokens or members. */
export interface TokenManager {
  /** The user of the sender's token. */
  userId: string;
  /** Number of the sender's token. */
  tokenId?: number | undefined;
  /** Scopes that the sender's token has. */
  scopes: readonly Scope[];
  /** Encrypts the value of a new token, for a request that may be repeated. */
  seal?: ((text: string) => Promise<string>) | undefined;
}

/** The member for whom the sender's token acts. @throws Failure `conflict` if the record of the member is lost */
export async function managerOf(
  write: Write,
  { userId }: Pick<TokenManager, 'userId'>,
): Promise<MemberRecord> {
  const manager = await write.check(memberRef(userId));
  if (!manager) throw new Failure('conflict', sentences.noUser);
  return manager;
}

/**
 * Refuses to manage a token of a user whose role the sender's member may not give, and to give scopes that the sender's
 * token lacks. A USER manages only the own tokens. An operator, who is nobody here, may do everything.
 * @param managed the user of the managed token; undefined for a user who is gone. `scopes`: scopes of a token that the
 * sender gets to know
 * @throws Failure `forbidden`; `conflict` if the record of the sender's member is lost
 */
export async function refuseBeyondManager(
  write: Write,
  by: TokenManager | undefined,
  { user, scopes = [] }: { user: MemberRecord | undefined; scopes?: readonly Scope[] },
): Promise<void> {
  if (!by) return;
  const { role, userId } = await managerOf(write, by);
  const given = rolesGivenBy(role);
  if (user && user.userId !== userId && !given.includes(user.role)) throw mayNotManageTokens(role, given);
  const lacking = scopesBeyondHeld(scopes, by.scopes);
  if (lacking.length > 0) throw lacksGivenScopes(lacking);
}
