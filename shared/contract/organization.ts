import * as v from 'valibot';
import { CategoryType } from './categories.ts';
import { endpoint } from './endpoint.ts';
import { count, recordId, recordNumber, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { extension, type Descriptions } from './descriptions.ts';
import { memberRoles } from './roles.ts';

export const tagDescription = "The caller's organization: its members, and its services by category";

export const MemberRole = v.picklist(memberRoles);

/** User account of a member. */
export const MemberUser = v.strictObject({
  id: v.pipe(recordId('user'), v.metadata(extension)),
  email: v.string(),
});

/** Person of the organization: docs/reference/organization.md, Member. */
export const Member = v.strictObject({
  id: recordNumber,
  role: MemberRole,
  firstName: v.string(),
  lastName: v.string(),
  position: v.string(),
  responsibility: v.string(),
  phone: v.pipe(v.string(), v.metadata(extension)),
  avatarImg: v.string(),
  isDisabled: v.boolean(),
  user: MemberUser,
});
export type Member = v.InferOutput<typeof Member>;

/** Service as the list by category shows it. */
export const CategoryService = v.strictObject({
  id: recordNumber,
  name: v.string(),
  description: v.string(),
  duration: count,
  followUpQuestions: v.array(v.string()),
  tradeCategoryId: recordNumber,
  createdAt: timestamp,
  isActive: v.boolean(),
});

/** Trade category with its services: docs/reference/catalog.md, Category. */
export const ServiceCategory = v.strictObject({
  id: recordNumber,
  name: v.string(),
  type: CategoryType,
  services: v.array(CategoryService),
});
export type ServiceCategory = v.InferOutput<typeof ServiceCategory>;

export const MemberPage = pageSchema('members', Member);

/** Every category with its services. */
export const ServiceCategoryList = v.strictObject({
  categories: v.array(ServiceCategory),
  totalCategories: count,
  totalServices: count,
});

export const descriptions = {
  MemberRole: { is: 'The rights of a member in the organization' },
  MemberUser: {
    is: 'The account of a member',
    fields: {
      id: 'The `userId` of `POST /v1/sms`',
      email: 'The email address that the member signs in with',
    },
  },
  Member: {
    is: 'A person of the organization',
    fields: {
      role: 'The role of the member',
      firstName: 'The first name',
      lastName: 'The last name',
      position: "The member's position in the organization",
      responsibility: "The member's responsibility",
      phone: 'The phone number in E.164, or an empty text',
      avatarImg: 'The address of a picture: a link that begins with `https://` or `http://`, or empty',
      isDisabled: 'Whether the member is locked out: no token of the member works',
      user: 'The account of the member',
    },
  },
  MemberPage: { is: 'A page of members', fields: { members: 'The members of this page' } },
  CategoryService: { is: 'A service as the listing by category shows it', like: 'Service' },
  ServiceCategory: {
    is: 'A trade category with its services',
    fields: {
      id: 'The `tradeCategoryId` of its services or products',
      name: 'Its name',
      type: 'What it holds',
      services: 'Its services, by id ascending; none in a category of products',
    },
  },
  ServiceCategoryList: {
    is: 'Every category with its services',
    fields: {
      categories: 'The categories, by id ascending',
      totalCategories: 'How many categories there are',
      totalServices: 'How many services there are in all of them',
    },
  },
} satisfies Descriptions;

export const listMembersEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/members',
  scope: 'members:read',
  access: 'readPage',
  summary: 'List the members of the organization, newest first',
  description: 'Invitations that nobody has accepted yet are neither listed nor counted.',
  params: {},
  query: PageQuery,
  responses: { 200: MemberPage },
  errors: [],
  example: pageExample('members', {
    id: 1,
    role: 'OWNER',
    firstName: 'Mia',
    lastName: 'Tran',
    position: 'Owner',
    responsibility: 'Quotes',
    phone: '+61491570156',
    avatarImg: '',
    isDisabled: false,
    user: { id: 'user_6H8EV88000000001', email: 'mia@harbourplumbing.example' },
  }),
});

export const listOrganizationServicesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/organization/services',
  scope: 'services:read',
  access: 'readPage',
  summary: 'List the services of every category',
  description:
    'Every category of the organization, of either type and also without services; categories, and the services within one, ' +
    'by id ascending. `tradeCategoryId` takes these ids.',
  params: {},
  responses: { 200: ServiceCategoryList },
  errors: [],
  example: {
    response: {
      categories: [
        {
          id: 1,
          name: 'Services',
          type: 'SERVICE',
          services: [
            {
              id: 1,
              name: 'Blocked drain',
              description: 'Clear a blocked sink, shower or outside drain',
              duration: 60,
              followUpQuestions: ['Which drain is blocked?'],
              tradeCategoryId: 1,
              createdAt: '2026-11-02T08:00:00.000Z',
              isActive: true,
            },
          ],
        },
      ],
      totalCategories: 1,
      totalServices: 1,
    },
  },
});
