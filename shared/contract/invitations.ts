import * as v from 'valibot';
import { IssuedAccessToken } from './access-tokens.ts';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import {
  filledLine,
  isEmail,
  line,
  notEmail,
  numberInPath,
  pathId,
  recordNumber,
  timestamp,
} from './fields.ts';
import { Member, MemberRole } from './organization.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { acceptScope } from './scopes.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'organization';

/** An invitation to join: docs/reference/organization.md, Invitation. */
export const Invitation = v.strictObject({
  id: recordNumber,
  email: v.string(),
  role: MemberRole,
  firstName: v.string(),
  lastName: v.string(),
  position: v.string(),
  responsibility: v.string(),
  phone: v.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Invitation = v.InferOutput<typeof Invitation>;

/** An invitation with the token that accepts it. */
export const SentInvitation = v.strictObject({ ...Invitation.entries, token: v.string() });
export type SentInvitation = v.InferOutput<typeof SentInvitation>;

/** Body of an invitation. */
export const NewInvitation = v.strictObject({
  email: v.pipe(line(254), v.check(isEmail, notEmail), v.metadata({ format: 'email' })),
  role: MemberRole,
  firstName: v.optional(filledLine(100)),
  lastName: v.optional(line(100)),
  position: v.optional(line(200)),
  responsibility: v.optional(line(200)),
  phone: v.optional(line(40)),
});
export type NewInvitation = v.InferOutput<typeof NewInvitation>;

export const InvitationPage = pageSchema('invitations', Invitation);
export const InvitationEnvelope = v.strictObject({ invitation: Invitation });
export const SentInvitationEnvelope = v.strictObject({ invitation: SentInvitation });
export const InvitationDeleted = v.strictObject({ message: v.literal('Invitation deleted successfully') });
export const JoinedMember = v.strictObject({ member: Member, token: IssuedAccessToken });
export type JoinedMember = v.InferOutput<typeof JoinedMember>;

export const descriptions = {
  Invitation: {
    is: 'An invitation to join the organization',
    like: 'Member',
    fields: {
      id: "The invitation's id",
      email: 'The email address of the invited person. The service sends nothing to it',
      expiresAt:
        'When it ends: 14 days after it was made or resent. An ended invitation stays in the list until it is resent or deleted',
    },
  },
  SentInvitation: {
    is: 'An invitation with its token',
    like: 'Invitation',
    fields: {
      token:
        'The token that accepts the invitation, and does nothing else. It is not shown again: hand it on to the person',
    },
  },
  NewInvitation: {
    is: 'The body to invite a person',
    like: 'Invitation',
    fields: { phone: 'A phone number, national or international' },
  },
  InvitationEnvelope: { is: 'An invitation', fields: { invitation: 'The invitation' } },
  SentInvitationEnvelope: { is: 'An invitation with its token', fields: { invitation: 'The invitation' } },
  InvitationPage: { is: 'A page of invitations', fields: { invitations: 'The invitations of this page' } },
  InvitationDeleted: {
    is: 'The answer to the deletion of an invitation',
    fields: { message: 'Always the same sentence' },
  },
  JoinedMember: {
    is: 'A new member',
    fields: { member: 'The member', token: "The member's first token, with its `value`" },
  },
} satisfies Descriptions;

export const invitationId = pathId('invitation', numberInPath);

const example = {
  id: 1,
  email: 'max@harbourplumbing.example',
  role: 'USER',
  firstName: 'Max',
  lastName: 'Tran',
  position: 'Plumber',
  responsibility: '',
  phone: '',
  createdAt: '2026-11-02T08:00:00.000Z',
  expiresAt: '2026-11-16T08:00:00.000Z',
} as const;
const sent = { ...example, token: 'sk_live_8dK2mXq7Lk9sVb1TzR8cWd3YhJ6nGa0B1x2Y' };
const { email, role, firstName, lastName, position } = example;

/** A sentence about the roles that a caller gives. */
const bounded =
  'A token of an ADMIN gives and takes no role OWNER: a 403 names the roles that the token may give.';

/** Actions of an operation that removes an invitation with its token, and issues another token. */
const replacesToken = [
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'PutItem grant',
  'DeleteItem grant',
  'TransactGetItems grant',
] as const;

export const inviteMemberEndpoint = endpoint({
  method: 'POST',
  path: '/v1/organization/members',
  scope: 'members:create',
  access: replacesToken,
  uses: 'secrets',
  summary: 'Invite a person to become a member',
  description:
    'The answer has the `token` that accepts the invitation, once. Nothing is sent: hand the token on. The invitation ends after ' +
    '14 days. The token works only while its inviter is a member who is not disabled and may give the `role`. An `email` that is a ' +
    `member's or invited already is a 409; \`error.existingId\` is the id. ${bounded}`,
  params: {},
  body: NewInvitation,
  responses: { 201: SentInvitationEnvelope },
  errors: [409],
  extension: true,
  example: {
    body: { email, role, firstName, lastName, position },
    response: { invitation: sent },
  },
});

export const listInvitationsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/invitations',
  scope: 'members:read',
  access: 'readPage',
  summary: 'List invitations, newest first',
  description: 'Invitations that nobody has accepted yet, without their tokens.',
  params: {},
  query: PageQuery,
  responses: { 200: InvitationPage },
  errors: [],
  extension: true,
  example: pageExample('invitations', example),
});

export const getInvitationEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/invitations/{invitationId}',
  scope: 'members:read',
  access: 'get',
  summary: 'Read an invitation',
  description: 'Without its token, which is shown once.',
  params: { invitationId },
  responses: { 200: InvitationEnvelope },
  record: { in: 'invitation' },
  errors: [404],
  extension: true,
  example: { params: { invitationId: '1' }, response: { invitation: example } },
});

export const deleteInvitationEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/organization/invitations/{invitationId}',
  scope: 'members:write',
  access: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'DeleteItem grant', 'TransactGetItems grant'],
  summary: 'Withdraw an invitation',
  description: `Its token is revoked, which holds at once for the acceptance. ${bounded}`,
  params: { invitationId },
  responses: { 200: InvitationDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params: { invitationId: '1' }, response: { message: 'Invitation deleted successfully' } },
});

export const resendInvitationEndpoint = endpoint({
  method: 'POST',
  path: '/v1/organization/invitations/{invitationId}/resend',
  scope: 'members:write',
  access: ['GetItem', 'PutItem', 'PutItem grant', 'DeleteItem grant', 'TransactGetItems grant'],
  uses: 'secrets',
  summary: 'Give an invitation a new token',
  description: `The token before it is revoked, and the invitation ends in 14 days. The caller is now its inviter. ${bounded}`,
  params: { invitationId },
  responses: { 200: SentInvitationEnvelope },
  errors: [404, 409],
  extension: true,
  example: { params: { invitationId: '1' }, response: { invitation: sent } },
});

export const acceptInvitationEndpoint = endpoint({
  method: 'POST',
  path: '/v1/organization/invitations/{invitationId}/accept',
  scope: acceptScope,
  access: replacesToken,
  uses: 'secrets',
  summary: 'Accept an invitation',
  description:
    "With the invitation's own token. The answer has the new member and the member's first token, once: `read,write`, and for an " +
    'ADMIN or OWNER `members:write` and `tokens:write`, too. The invitation and its token are gone then. An ended invitation is a ' +
    '409, as is one whose inviter may not give the role any more.',
  params: { invitationId },
  responses: { 200: JoinedMember },
  errors: [404, 409],
  extension: true,
  example: {
    params: { invitationId: '1' },
    response: {
      member: {
        id: 2,
        role,
        firstName,
        lastName,
        position,
        responsibility: '',
        phone: '',
        avatarImg: '',
        isDisabled: false,
        user: { id: 'user_6H8EV88000000002', email },
      },
      token: {
        id: 5,
        name: 'First',
        scopes: ['read', 'write'],
        sites: [],
        isSigned: false,
        userId: 'user_6H8EV88000000002',
        createdAt: '2026-11-03T08:00:00.000Z',
        expiresAt: null,
        lastUsedOn: null,
        revokedAt: null,
        replacedBy: null,
        value: 'sk_live_4fP2mXq7Lk9sVb1TzR8cWd3YhJ6nGa0B1x2Y',
      },
    },
  },
});
