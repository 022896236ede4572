import * as v from 'valibot';
import { sentences } from '../../contract/errors.ts';
import {
  Invitation,
  type JoinedMember,
  type NewInvitation,
  type SentInvitation,
} from '../../contract/invitations.ts';
import { memberRoles, type MemberRole } from '../../contract/roles.ts';
import { acceptScope, type Scope } from '../../contract/scopes.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { conflict, Failure } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { addMember, emailOf, getMember, members, type MemberRecord } from '../members/members.ts';
import { toE164 } from '../phone/phone-number.ts';
import type { SecretBox } from '../webhooks/secrets.ts';
import { readIssued, toIssued } from './access-tokens.ts';
import { refuseBeyondRole } from './change-member.ts';
import type { RandomBytes } from './token.ts';
import { managerOf, type TokenManager } from './token-manager.ts';
import {
  addToken,
  keepValue,
  modeOf,
  ownersScopes,
  refuseDisabled,
  refuseTooMany,
  revokeWith,
  tokens,
} from './tokens.ts';

/** Time until an invitation ends, in milliseconds. */
const lifetime = 14 * 86_400_000;

/**
 * People invited to join. Invited people are no members yet, and have a separate collection, so that the list of
 * members need not skip them. The token of an invitation names the invitation.
 */
export const invitations = {
  name: 'INVITATION',
  label: 'invitation',
  schema: v.object(Invitation.entries),
  uniques: ({ email }: Pick<Invitation, 'email'>) => [emailOf(email)],
} as const satisfies Collection;

type InvitationRecord = RecordOf<typeof invitations>;

/** Page of the invitations, newest first. */
export const listInvitations = (ledger: Ledger, query: PageQuery): Promise<Page<Invitation>> =>
  ledger.page(invitations, query);

/** One invitation. One round trip. @throws Failure `notFound` */
export const getInvitation = (ledger: Ledger, invitationId: number): Promise<Invitation> =>
  ledger.get(ledger.ref(invitations, invitationId));

/** Sender of a request about invitations. */
export interface Inviter extends TokenManager {
  randomBytes: RandomBytes;
}

/**
 * Invites a person, and issues the invitation's token. One transaction. An ended invitation with the email is replaced.
 * @throws Failure `invalid` for the phone number; `forbidden` for a role that the inviter may not give; `conflict` with the
 * id of the member or the invitation that has the email, and for an inviter with `maxLiveTokens`
 */
export function inviteMember(
  ledger: Ledger,
  { phone = '', ...input }: NewInvitation,
  by: Inviter,
): Promise<SentInvitation> {
  return ledger.write({}, async (write) => {
    const [number, inviter] = await Promise.all([
      phone === '' ? '' : toE164(phone, write.country, 'phone'),
      inviterFor(write, by, input.role),
      refuseTaken(ledger, write, input.email),
    ]);
    const { firstName = '', lastName = '', position = '', responsibility = '', ...rest } = input;
    const { record } = write.append(invitations, ({ number: id }) => ({
      id,
      ...rest,
      firstName,
      lastName,
      position,
      responsibility,
      phone: number,
      createdAt: write.now,
      expiresAt: endOf(write),
    }));
    recordEvent(write, { event: 'INVITATION_CREATED', about: record.id });
    return send(write, record, inviter, by);
  });
}

/**
 * Gives an invitation a new token and another fourteen days. One transaction.
 * @throws Failure `notFound`; `forbidden` and `conflict` as `inviteMember` does
 */
export function resendInvitation(ledger: Ledger, invitationId: number, by: Inviter): Promise<SentInvitation> {
  const ref = ledger.ref(invitations, invitationId);
  return ledger.write({ change: { invitation: ref } }, async (write, { invitation }) => {
    const inviter = await inviterFor(write, by, invitation.role);
    await revokeOf(ledger, write, invitationId);
    const resent = { ...invitation, expiresAt: endOf(write) };
    write.replace(ref, resent);
    recordEvent(write, { event: 'INVITATION_RESENT', about: invitationId });
    return send(write, resent, inviter, by);
  });
}

/**
 * Withdraws an invitation, and revokes its token. One transaction.
 * @throws Failure `notFound`; as `refuseOutdated` does; `forbidden` for a role that the sender may not take
 */
export function deleteInvitation(
  ledger: Ledger,
  invitationId: number,
  { refuseOutdated, by }: ChangeConditions<Invitation> & { by: Pick<TokenManager, 'userId'> },
): Promise<void> {
  const ref = ledger.ref(invitations, invitationId);
  return ledger.write({ change: { invitation: ref } }, async (write, { invitation }) => {
    refuseOutdated?.(invitation);
    refuseBeyondRole(await managerOf(write, by), [invitation.role]);
    await withdraw(ledger, write, ref);
  });
}

/**
 * Makes the invited person a member, issues the member's first token, and revokes the invitation's token. One
 * transaction.
 * @throws Failure `notFound`; `forbidden` for another token, and if the inviter may not give the role any more;
 * `conflict` for an ended invitation, and for an email that a member has
 */
export function acceptInvitation(
  ledger: Ledger,
  invitationId: number,
  { randomBytes, ...by }: Inviter,
): Promise<JoinedMember> {
  const ref = ledger.ref(invitations, invitationId);
  const own = ledger.ref(tokens, by.tokenId ?? 0);
  const reading = { change: { invitation: ref, token: own } };
  return ledger.write(reading, async (write, { invitation, token }) => {
    if (token.invitation !== invitationId) throw new Failure('forbidden', sentences.otherInvitation);
    if (invitation.expiresAt <= write.now || token.revokedAt !== null)
      throw new Failure('conflict', sentences.invitationEnded);
    refuseBeyondRole(await managerOf(write, by), [invitation.role]);
    await revokeWith(write, own);
    write.remove(ref);
    recordEvent(write, { event: 'INVITATION_ACCEPTED', about: invitationId });
    const { id: _, createdAt, expiresAt, ...person } = invitation;
    const member = addMember(write, person);
    recordEvent(write, { event: 'MEMBER_ADDED', about: member.id });
    const { mode } = token;
    const rights = { role: member.role, scopes: firstScopes(member.role), userId: member.user.id };
    const issued = addToken(write, { name: 'First', mode, ...rights }, randomBytes);
    write.keep({ collection: members, number: member.id });
    await keepValue(write, issued, by);
    return { member, token: toIssued(issued) };
  });
}

/** Scopes of a member's first token: all that the role allows to people who work with the pipeline. */
const firstScopes = (role: MemberRole): readonly Scope[] =>
  role === memberRoles[0] ? ['read', 'write'] : ownersScopes;

const endOf = ({ now }: Write): string => new Date(Date.parse(now) + lifetime).toISOString();

/**
 * The member who invites.
 * @throws Failure `forbidden` for a role that the inviter may not give; `conflict` for too many tokens, and for an inviter
 * who was disabled after the request was let in
 */
async function inviterFor(write: Write, by: Inviter, role: MemberRole): Promise<MemberRecord> {
  const inviter = await managerOf(write, by);
  refuseDisabled(inviter);
  refuseBeyondRole(inviter, [role]);
  await refuseTooMany(write, by.userId);
  return inviter;
}

/** Refuses an email that a member or an invitation has, and removes an ended invitation. @throws Failure `conflict` */
async function refuseTaken(ledger: Ledger, write: Write, email: string): Promise<void> {
  const [member, invited] = await Promise.all([
    write.holderOf(members, emailOf(email)),
    write.holderOf(invitations, emailOf(email)),
  ]);
  if (member !== undefined) throw conflict(members.label, 'email', { existingId: member });
  const ref = invited !== undefined ? ledger.ref(invitations, invited) : undefined;
  const earlier = ref && (await write.read(ref, { mayStayUnchanged: true }));
  if (ref && earlier && earlier.expiresAt <= write.now) await withdraw(ledger, write, ref);
}

/** Issues the token of an invitation, which acts for the inviter until it is accepted. */
async function send(
  write: Write,
  invitation: InvitationRecord,
  { role }: MemberRecord,
  { randomBytes, ...by }: Inviter,
): Promise<SentInvitation> {
  const issued = addToken(
    write,
    {
      name: `Invitation ${invitation.id}`,
      mode: await modeOf(write, by.tokenId),
      scopes: [acceptScope],
      invitation: invitation.id,
      userId: by.userId,
      expiry: { at: Date.parse(invitation.expiresAt) },
      role,
    },
    randomBytes,
  );
  write.keep({ collection: invitations, number: invitation.id });
  await keepValue(write, issued, by);
  return { ...invitation, token: issued.token };
}

/** Removes an invitation that the write has read, and revokes its token. */
async function withdraw(ledger: Ledger, write: Write, ref: RecordRef<typeof invitations>): Promise<void> {
  await revokeOf(ledger, write, ref.number);
  write.remove(ref);
  recordEvent(write, { event: 'INVITATION_DELETED', about: ref.number });
}

/** Revokes the token of an invitation. Reads all tokens serializably. */
async function revokeOf(ledger: Ledger, write: Write, invitation: number): Promise<void> {
  const all = await write.checkAll(tokens);
  const own = all.filter((token) => token.invitation === invitation && token.revokedAt === null);
  await Promise.all(own.map(({ id }) => revokeWith(write, ledger.ref(tokens, id))));
}

/** An invitation with the token that a request issued, for a repeat of the request. @throws Failure `notFound` */
export async function readSent(
  ledger: Ledger,
  invitationId: number,
  box: Pick<SecretBox, 'decrypt'>,
): Promise<SentInvitation> {
  const invitation = await getInvitation(ledger, invitationId);
  return { ...invitation, token: await box.decrypt(ledger.organization, ledger.replayData) };
}

/** A member who joined, with the token that a request issued, for a repeat. @throws Failure `notFound` */
export async function readJoined(ledger: Ledger, memberId: number, box: SecretBox): Promise<JoinedMember> {
  const member = await getMember(ledger, memberId);
  return { member, token: await readIssued(ledger, ledger.keptId(tokens), box) };
}
