import * as v from 'valibot';
import { memberRoles, type Member } from '../../contract/organization.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import type { Collection, RecordRef, RecordOf } from '../../ledger/internal/collection.ts';
import { recordId, type OrganizationCode } from '../../core/ids.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import type { Page } from '../../core/page.ts';

const schema = v.object({
  id: v.number(),
  role: v.picklist(memberRoles),
  firstName: v.string(),
  lastName: v.string(),
  position: v.optional(v.string(), ''),
  responsibility: v.optional(v.string(), ''),
  avatarImg: v.optional(v.string(), ''),
  isDisabled: v.optional(v.boolean(), false),
  userId: v.string(),
  email: v.string(),
});

/** The people of an organization, who all have a user account. */
export const members = { name: 'MEMBER', label: 'member', schema } as const satisfies Collection;

/** The same records, by the id of the user: it has the member's number. */
const users = { name: 'MEMBER', label: 'user', prefix: 'user', schema } as const satisfies Collection;

/** People who were asked to join and have not yet: no member until then, so that no list has to leave them out. */
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

/** The id of the user that an organization's owner will be: the first member of it. */
export const ownerIdOf = (organization: OrganizationCode) => recordId('user', organization, 1);

/** A page of the organization's members, newest first. */
export async function listMembers(ledger: Ledger, query: PageQuery): Promise<Page<Member>> {
  const { items, totalCount } = await ledger.page(members, query);
  return { items: items.map(toMember), totalCount };
}

/** Where the member with this user id is, for a write that needs one. @throws Failure `notFound` */
export const userRef = (ledger: Ledger, userId: string): RecordRef<typeof users> => ledger.ref(users, userId);

/** Adds a member with a user account. One transaction. */
export function createMember(ledger: Ledger, input: NewMember): Promise<Member> {
  return ledger.write({}, (write) => {
    const member = addMember(write, input);
    write.event({ event: 'MEMBER_ADDED', data: 'A member was added', referenceId: member.user.id });
    return member;
  });
}

/** The part of a write that adds a member. */
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

/** Notes an invitation to join. One transaction. */
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
    write.event({ event: 'MEMBER_INVITED', data: 'Someone was invited to join', referenceId: String(id) });
    return { id };
  });
}

function toMember({ userId, email, ...member }: RecordOf<typeof members>): Member {
  return { ...member, user: { id: userId, email } };
}
