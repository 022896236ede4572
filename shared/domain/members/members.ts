import * as v from 'valibot';
import { newSchedule, schedule, type Schedule } from '../../contract/member-schedule.ts';
import type { Member } from '../../contract/organization.ts';
import { memberRoles } from '../../contract/roles.ts';
import { count } from '../../contract/fields.ts';
import { webLinkOrEmpty } from '../../contract/link.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { numberInId, recordId, type OrganizationCode } from '../../core/ids.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf, RecordRef, UniqueValue, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { storeChange } from '../records/change-record.ts';

const schema = v.object({
  id: v.number(),
  role: v.picklist(memberRoles),
  firstName: v.string(),
  lastName: v.string(),
  position: v.string(),
  responsibility: v.string(),
  /** E.164, or empty. */
  phone: v.string(),
  avatarImg: v.pipe(v.string(), webLinkOrEmpty),
  isDisabled: v.boolean(),
  userId: v.string(),
  email: v.string(),
  schedule,
  /** Number of the newest appointment that the member was given; 0 if there was none. */
  newestAppointment: count,
  /** Number of open appointments that the member attends. The member cannot be removed until it is 0. */
  openAppointments: count,
});

/** The email of a member or an invitation as a unique value. */
export const emailOf = (email: string): UniqueValue => ({ field: 'email', value: email });
const uniques = ({ email }: { email: string }): UniqueValue[] => [emailOf(email)];

/** The people of an organization. Each has a user account. */
export const members = { name: 'MEMBER', label: 'member', schema, uniques } as const satisfies Collection;

export type MemberRecord = RecordOf<typeof members>;

/** The same records by user id, which contains the member's number. */
const users = { ...members, label: 'user', prefix: 'user' } as const satisfies Collection;

export type NewMember = Pick<Member, 'firstName' | 'lastName'> & {
  email: string;
} & Partial<Pick<Member, 'role' | 'position' | 'responsibility' | 'phone' | 'avatarImg'>>;

/** Whole name of a member. */
export const memberName = ({ firstName, lastName }: Pick<MemberRecord, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`.trim();

/** User id of an organization's owner, who is its first member. */
export const ownerIdOf = (organization: OrganizationCode) => recordId('user', organization, 1);

/** True for an owner who is not disabled. An organization always has one. */
export const isActiveOwner = ({ role, isDisabled }: Pick<MemberRecord, 'role' | 'isDisabled'>): boolean =>
  role === 'OWNER' && !isDisabled;

/** Page of the organization's members, newest first. */
export async function listMembers(ledger: Ledger, query: PageQuery): Promise<Page<Member>> {
  const page = await ledger.page(members, query);
  return { ...page, items: page.items.map(toMember) };
}

/** One member. One round trip. @throws Failure `notFound` */
export async function getMember(ledger: Ledger, memberId: number): Promise<Member> {
  return toMember(await ledger.get(ledger.ref(members, memberId)));
}

/** The member's key, from the user id. @throws Failure `notFound` if no user here can have that id */
export const userRef = (ledger: Ledger, userId: string): RecordRef<typeof users> => ledger.ref(users, userId);

/** The key of a member of this organization, from the user id. */
export const memberRef = (userId: string): RecordRef<typeof members> => ({
  collection: members,
  number: numberInId(userId),
});

/** The user id of a member. */
export const userIdOf = (ledger: Ledger, number: number): string => String(ledger.idOf(users, number));

/** The member's key, from the user id; undefined if no user here can have that id. */
export function tryUserRef(ledger: Ledger, userId: string): RecordRef<typeof members> | undefined {
  const ref = ledger.tryRef(users, userId);
  return ref && { collection: members, number: ref.number };
}

/** Adds a member with a user account. One transaction. */
export function createMember(ledger: Ledger, input: NewMember): Promise<Member> {
  return ledger.write({}, (write) => {
    const member = addMember(write, input);
    recordEvent(write, { event: 'MEMBER_ADDED', about: member.id });
    return member;
  });
}

/** Adds a member, as part of a write. */
export function addMember(write: Write, input: NewMember): Member {
  const { role = memberRoles[0], position = '', responsibility = '', phone = '', avatarImg = '' } = input;
  const { firstName, lastName, email } = input;
  const { record } = write.append(users, ({ number, id }) => ({
    id: number,
    role,
    firstName,
    lastName,
    email,
    position,
    responsibility,
    phone,
    avatarImg,
    isDisabled: false,
    userId: id,
    schedule: newSchedule,
    newestAppointment: 0,
    openAppointments: 0,
  }));
  return toMember(record);
}

/** Stores another schedule of a member, as part of a write that has read the member. Returns the member as stored. */
export function setSchedule(
  write: Write,
  ref: RecordRef<typeof members>,
  { before, schedule }: { before: MemberRecord; schedule: Schedule },
): MemberRecord {
  const event = { event: 'MEMBER_SCHEDULE_UPDATED', about: before.id } as const;
  return storeChange(
    write,
    ref,
    { before, after: { ...before, schedule } },
    event,
    (member) => member.schedule,
  );
}

/** Stores another state of a member, as part of a write that has read the member. `updateMember` of the tokens calls it. */
export function storeMember(
  write: Write,
  ref: RecordRef<typeof members>,
  { before, after }: { before: MemberRecord; after: MemberRecord },
): void {
  write.replace(ref, after);
  const { id: about } = before;
  if (after.role !== before.role)
    recordEvent(write, {
      event: 'MEMBER_ROLE_CHANGED',
      about,
      values: { from: before.role, to: after.role },
    });
  if (after.isDisabled !== before.isDisabled)
    recordEvent(write, { event: after.isDisabled ? 'MEMBER_DISABLED' : 'MEMBER_ENABLED', about });
  const { role, isDisabled } = before;
  const fields = changedFields(toMember(before), toMember({ ...after, role, isDisabled }));
  if (fields.length > 0) recordEvent(write, { event: 'MEMBER_UPDATED', about, fields });
}

/** Removes a member, as part of a write that has read the member. `deleteMember` of the tokens calls it. */
export function removeMember(write: Write, ref: RecordRef<typeof members>): void {
  write.remove(ref);
  recordEvent(write, { event: 'MEMBER_REMOVED', about: ref.number });
}

/** A member as the API shows it. */
export function toMember({
  userId,
  email,
  schedule,
  newestAppointment,
  openAppointments,
  ...member
}: MemberRecord): Member {
  return { ...member, user: { id: userId, email } };
}
