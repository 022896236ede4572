import * as v from 'valibot';
import type { Descriptions } from './descriptions.ts';
import { endpoint } from './endpoint.ts';
import { filledLine, line, numberInPath, pathId, readOnlyFields } from './fields.ts';
import { webLinkOrEmpty } from './link.ts';
import { Member, MemberRole } from './organization.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'organization';

/** Body of a change of a member. Fields that are left out stay. */
export const MemberChanges = v.strictObject({
  role: v.optional(MemberRole),
  firstName: v.optional(filledLine(100)),
  lastName: v.optional(line(100)),
  position: v.optional(line(200)),
  responsibility: v.optional(line(200)),
  phone: v.optional(line(40)),
  avatarImg: v.optional(v.pipe(line(2000), webLinkOrEmpty)),
  isDisabled: v.optional(v.boolean()),
});
export type MemberChanges = v.InferOutput<typeof MemberChanges>;

export const MemberEnvelope = v.strictObject({ member: Member });
export const MemberDeleted = v.strictObject({ message: v.literal('Member deleted successfully') });

export const descriptions = {
  MemberChanges: {
    is: 'The body to change a member',
    like: 'Member',
    fields: {
      role: "The rights of the member, which bound the member's tokens",
      phone: 'A phone number, national or international. An empty text is none',
      isDisabled: "`true` takes every right from the member's tokens, and `false` gives the rights back",
    },
  },
  MemberEnvelope: { is: 'A member', fields: { member: 'The member' } },
  MemberDeleted: {
    is: 'The answer to the removal of a member',
    fields: { message: 'Always the same sentence' },
  },
} satisfies Descriptions;

export const memberId = pathId('member', numberInPath);
const example = {
  id: 2,
  role: 'USER',
  firstName: 'Max',
  lastName: 'Tran',
  position: 'Plumber',
  responsibility: 'Hot water',
  phone: '+61491570157',
  avatarImg: '',
  isDisabled: false,
  user: { id: 'user_6H8EV88000000002', email: 'max@harbourplumbing.example' },
};

export const getMemberEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/members/{memberId}',
  scope: 'members:read',
  access: 'get',
  summary: 'Read a member',
  description: 'The schedule of the member has a path of its own.',
  params: { memberId },
  responses: { 200: MemberEnvelope },
  record: { in: 'member' },
  errors: [404],
  extension: true,
  example: { params: { memberId: '2' }, response: { member: example } },
});

export const updateMemberEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/organization/members/{memberId}',
  scope: 'members:write',
  access: ['GetItem', 'PutItem', 'PutItem grant', 'UpdateItem grant', 'DeleteItem grant'],
  summary: 'Change a member',
  description:
    "Fields that are left out stay unchanged. The member's tokens follow `role` and `isDisabled` within the authorizer's " +
    'cache time. A token of an ADMIN neither gives nor takes the role OWNER, and enables and disables no OWNER: a 403 names ' +
    'the roles that the token may give. The last OWNER who is not disabled stays one: a change of that is a 409.',
  params: { memberId },
  body: MemberChanges,
  readOnly: readOnlyFields(Member, MemberChanges),
  responses: { 200: MemberEnvelope },
  record: { in: 'member' },
  errors: [404, 409],
  extension: true,
  example: {
    params: { memberId: '2' },
    body: { position: 'Senior plumber' },
    response: { member: { ...example, position: 'Senior plumber' } },
  },
});

export const deleteMemberEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/organization/members/{memberId}',
  scope: 'members:write',
  access: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'DeleteItem grant', 'TransactGetItems grant'],
  summary: 'Remove a member',
  description:
    "The member's tokens are revoked, which holds within the authorizer's cache time. Records of the past continue to name " +
    'the `userId`. A 409 says how many transfer rules and open appointments (PENDING or CONFIRMED) name the member: change ' +
    'these first. The only OWNER stays: a 409. A token of an ADMIN removes no OWNER: a 403. To keep someone out for a while, ' +
    'set `isDisabled` instead.',
  params: { memberId },
  responses: { 200: MemberDeleted },
  record: {},
  errors: [404, 409],
  extension: true,
  example: { params: { memberId: '2' }, response: { message: 'Member deleted successfully' } },
});
