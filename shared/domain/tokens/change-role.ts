import type { MemberRole } from '../../contract/roles.ts';
import { sentences } from '../../contract/errors.ts';
import { Failure } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { members, setRole } from '../members/members.ts';
import { grantedBy, stateOf, tokens } from './tokens.ts';

/** A member's role, after and before a change. */
export interface ChangedRole {
  userId: string;
  role: MemberRole;
  before: MemberRole;
  /** Number of grants that were written: the grants of all working tokens of the member. */
  tokens: number;
}

/**
 * Changes the role of a member and the grants of the member's tokens. One transaction, or none if the member has the
 * role. A token that is issued or rotated at the same time gets the new role, too: each write checks the version of the
 * head. An expired token grants nothing, so its grant does not change.
 * @throws Failure `notFound`; `conflict` for the only owner, and for more tokens than one transaction takes
 */
export async function changeRole(ledger: Ledger, memberId: number, role: MemberRole): Promise<ChangedRole> {
  const ref = ledger.ref(members, memberId);
  return ledger.write({ change: { member: ref } }, async (write, { member }) => {
    const { userId, role: before } = member;
    if (before === role) return { userId, role, before, tokens: 0 };
    if (before === 'OWNER') {
      const others = (await write.checkAll(members)).filter(({ id }) => id !== member.id);
      if (!others.some((other) => other.role === 'OWNER' && !other.isDisabled))
        throw new Failure('conflict', sentences.onlyOwner);
    }
    const all = await write.checkAll(tokens);
    const now = Date.parse(write.now);
    const working = all.filter((token) => token.userId === userId && stateOf(token, now) === 'active');
    setRole(write, ref, { before: member, role });
    if (working.length > write.remainingItems) throw new Failure('conflict', sentences.tooManyTokens);
    for (const token of working) write.replaceGrant(token.hash, grantedBy(token, role));
    return { userId, role, before, tokens: working.length };
  });
}
