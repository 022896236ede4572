import * as v from 'valibot';
import { memberRoles, type Member } from '../../contract/organization.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { recordId, type OrganizationCode } from '../../core/ids.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

const schema = v.object({
  id: v.number(),
  role: v.picklist(memberRoles),
  firstName: v.string(),
  lastName: v.string(),
  position: v.string(),
  responsibility: v.string(),
  avatarImg: v.string(),
  isDisabled: v.boolean(),
  userId: v.string(),
  email: v.string(),
});

/** The people of an organization. Each has a user account. */
export const members = { name: 'MEMBER', label: 'member', schema } as const satisfies Collection;

/** The same records by user id, which contains the member's number. */
const users = { name: 'MEMBER', label: 'user', prefix: 'user', schema } as const satisfies Collection;

/**
 * People invited to join. They are no members yet, and have a collection of their own, so that the list of
 * members need not skip them.
 */
export const invitations = {
  name: 'INVITATION',
  label: 'invitation',
  schema: v.object({
    id: v.number(),
    email: v.string(),
    role: v.picklist(memberRoles),
    createdAt: v.string(),
  }),
} as const satisfies Collection;

export type NewMember = Pick<Member, 'firstName' | 'lastName'> & {
  email: string;
} & Partial<Pick<Member, 'role' | 'position' | 'responsibility' | 'avatarImg'>>;

/** User id of an organization's owner, who is its first member. */
export const ownerIdOf = (organization: OrganizationCode) => recordId('user', organization, 1);

/** Page of the organization's members, newest first. */
export async function listMembers(ledger: Ledger, query: PageQuery): Promise<Page<Member>> {
  const { items, totalCount } = await ledger.page(members, query);
  return { items: items.map(toMember), totalCount };
}

/** The member's key, from the user id. @throws Failure `notFound` if no user here can have that id */
export const userRef = (ledger: Ledger, userId: string): RecordRef<typeof users> => ledger.ref(users, userId);

/** Adds a member with a user account. One transaction. */
export function createMember(ledger: Ledger, input: NewMember): Promise<Member> {
  return ledger.write({}, (write) => {
    const member = addMember(write, input);
    recordEvent(write, { event: 'MEMBER_ADDED', about: member.user.id });
    return member;
  });
}

/** Adds a member, as part of a write. */
export function addMember(write: Write, input: NewMember): Member {
  const { role = memberRoles[0], position = '', responsibility = '', avatarImg = '', ...person } = input;
  const { record } = write.append(users, ({ number, id }) => ({
    id: number,
    role,
    ...person,
    position,
    responsibility,
    avatarImg,
    isDisabled: false,
    userId: id,
  }));
  return toMember(record);
}

/** Stores an invitation to join. One transaction. */
export function inviteMember(
  ledger: Ledger,
  { email, role = memberRoles[0] }: Pick<NewMember, 'email' | 'role'>,
): Promise<{ id: number }> {
  return ledger.write({}, (write) => {
    const { record } = write.append(invitations, ({ number }) => ({
      id: number,
      email,
      role,
      createdAt: write.now,
    }));
    const { id } = record;
    recordEvent(write, { event: 'MEMBER_INVITED', about: id });
    return { id };
  });
}

function toMember({ userId, email, ...member }: RecordOf<typeof members>): Member {
  return { ...member, user: { id: userId, email } };
}
