import { isDeepStrictEqual } from 'node:util';
import { appointmentLabel } from '../../contract/appointments.ts';
import { sentences, mayNotGiveRole } from '../../contract/errors.ts';
import type { MemberChanges } from '../../contract/members.ts';
import type { Member } from '../../contract/organization.ts';
import { rolesGivenBy, type MemberRole } from '../../contract/roles.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { Failure, refuseInUse } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import {
  isActiveOwner,
  members,
  removeMember,
  storeMember,
  toMember,
  type MemberRecord,
} from '../members/members.ts';
import { changedToE164 } from '../phone/phone-number.ts';
import { transfers } from '../transfers/transfers.ts';
import { managerOf } from './token-manager.ts';
import { grantedBy, revokeWith, tokens, workingTokens, type TokenRecord } from './tokens.ts';

/** A member after and before a change. */
export interface ChangedMember {
  member: Member;
  before: Member;
  /** Number of grants that were written: the grants of all working tokens of the member. */
  tokens: number;
}

/** The user whose token changes a member. Undefined for an operator, who may do everything. */
interface By {
  userId?: string | undefined;
}

/**
 * Changes a member, and the grants of the member's tokens if the role or `isDisabled` changes. One transaction, or none
 * if nothing changes. A token that is issued or rotated at the same time follows, too: each write checks the version of
 * the head. An expired token grants nothing, so its grant does not change.
 * @throws Failure `notFound`; as `refuseOutdated` does; `invalid` for the phone number; `forbidden` for a role that the
 * user may not give or take
 * @throws Failure `conflict` for the only owner, and for more tokens than one transaction takes
 */
export async function updateMember(
  ledger: Ledger,
  memberId: number,
  { phone, ...changes }: MemberChanges,
  { refuseOutdated, userId }: ChangeConditions<Member> & By = {},
): Promise<ChangedMember> {
  const ref = ledger.ref(members, memberId);
  return ledger.write({ change: { member: ref } }, async (write, { member: before }) => {
    refuseOutdated?.(toMember(before));
    const number = await changedToE164(phone, before.phone, write.country);
    const after = merge(before, { ...changes, phone: number });
    const [shown, shownBefore] = [toMember(after), toMember(before)];
    if (isDeepStrictEqual(after, before)) return { member: shown, before: shownBefore, tokens: 0 };
    const changesRights = after.role !== before.role || after.isDisabled !== before.isDisabled;
    if (changesRights) {
      // The last owner stays one for an owner, too, whom that owner has just demoted.
      await refuseLastOwner(write, { before, after });
      await refuseBeyond(write, { before, after }, userId);
    }
    storeMember(write, ref, { before, after });
    const changed = changesRights ? await changeGrants(write, { before, after }) : 0;
    return { member: shown, before: shownBefore, tokens: changed };
  });
}

/**
 * Removes a member, and revokes the member's tokens. One transaction. Records of the past continue to name the user id.
 * @throws Failure `notFound`; as `refuseOutdated` does; `forbidden` for a member with a role that the user may not take
 * @throws Failure `conflict` for the only owner, while a transfer rule or an open appointment names the member, and for
 * more tokens than one transaction takes
 */
export async function deleteMember(
  ledger: Ledger,
  memberId: number,
  { refuseOutdated, userId }: ChangeConditions<Member> & By,
): Promise<void> {
  const ref = ledger.ref(members, memberId);
  return ledger.write({ change: { member: ref } }, async (write, { member }) => {
    refuseOutdated?.(toMember(member));
    await refuseLastOwner(write, { before: member });
    await refuseBeyond(write, { before: member }, userId);
    refuseInUse(members.label, {
      [transfers.label]: write.membersOf(ref, transfers, 'member'),
      [`open ${appointmentLabel}`]: member.openAppointments,
    });
    const working = await tokensToChange(write, member, { itemsOfEach: 2 });
    await Promise.all(working.map(({ id }) => revokeWith(write, ledger.ref(tokens, id))));
    removeMember(write, ref);
  });
}

/** A member before and after a change. A removed member has no state after it. */
interface Change {
  before: MemberRecord;
  after?: MemberRecord;
}

/** @throws Failure `forbidden` if the user may not give the new role, or take the former role */
async function refuseBeyond(
  write: Write,
  { before, after = before }: Change,
  userId: string | undefined,
): Promise<void> {
  if (userId === undefined) return;
  const user = userId === before.userId ? before : await managerOf(write, { userId });
  refuseBeyondRole(user, [before.role, after.role]);
}

/** @throws Failure `forbidden` for a role that a member may not give or take */
export function refuseBeyondRole({ role }: Pick<MemberRecord, 'role'>, roles: readonly MemberRole[]): void {
  const given = rolesGivenBy(role);
  if (!roles.every((one) => given.includes(one))) throw mayNotGiveRole(role, given);
}

/** @throws Failure `conflict` if the organization would have no owner left who is not disabled */
async function refuseLastOwner(write: Write, { before, after }: Change): Promise<void> {
  if (!isActiveOwner(before) || (after && isActiveOwner(after))) return;
  const others = (await write.checkAll(members)).filter(({ id }) => id !== before.id);
  if (!others.some(isActiveOwner)) throw new Failure('conflict', sentences.onlyOwner);
}

/** Changes the grants of all working tokens of a member. Returns their number. @throws Failure `conflict` for too many */
async function changeGrants(write: Write, { before, after }: Required<Change>): Promise<number> {
  if (before.isDisabled && after.isDisabled) return 0;
  const working = await tokensToChange(write, before, { itemsOfEach: 1 });
  for (const token of working) {
    const grant = grantedBy(token, after.role);
    if (after.isDisabled) write.revokeGrant(token.hash);
    else if (before.isDisabled) write.addGrant(token.hash, grant);
    else write.replaceGrant(token.hash, grant);
  }
  return working.length;
}

/**
 * The tokens of a member that are neither revoked nor expired. The write then changes them.
 * @throws Failure `conflict` if the write has no room for them
 */
async function tokensToChange(
  write: Write,
  { userId }: MemberRecord,
  { itemsOfEach }: { itemsOfEach: number },
): Promise<TokenRecord[]> {
  const working = await workingTokens(write, userId);
  if (working.length * itemsOfEach > write.remainingItems)
    throw new Failure('conflict', sentences.tooManyTokens);
  return working;
}
