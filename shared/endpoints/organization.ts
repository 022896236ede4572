import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { count, recordId, recordNumber, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const about = "The caller's organization: its members, and its services by category";

export const memberRoles = ['USER', 'ADMIN', 'OWNER'] as const;
export const categoryTypes = ['SERVICE', 'PRODUCT'] as const;

/** A person of the organization (specification, section 2). */
export const Member = v.strictObject({
  id: recordNumber,
  role: v.picklist(memberRoles),
  firstName: v.string(),
  lastName: v.string(),
  position: v.string(),
  responsibility: v.string(),
  avatarImg: v.string(),
  isDisabled: v.boolean(),
  user: v.strictObject({
    id: v.pipe(
      recordId('user'),
      v.description('The `userId` of `POST /v1/sms`'),
      v.metadata({ 'x-extension': true }),
    ),
    email: v.string(),
  }),
});
export type Member = v.InferOutput<typeof Member>;

/** A service as the listing by category shows it. */
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

/** A trade category with its services (specification, section 2). */
export const ServiceCategory = v.strictObject({
  id: recordNumber,
  name: v.string(),
  type: v.picklist(categoryTypes),
  services: v.array(CategoryService),
});
export type ServiceCategory = v.InferOutput<typeof ServiceCategory>;

export const listMembers = endpoint({
  method: 'GET',
  path: '/v1/organization/members',
  scope: 'read',
  access: 'page',
  summary: 'List the members of the organization, newest first',
  description: 'Invitations that nobody has accepted yet are neither listed nor counted.',
  params: {},
  query: PageQuery,
  responses: { 200: pageSchema('members', Member) },
  errors: [],
  example: pageExample('members', {
    id: 1,
    role: 'OWNER',
    firstName: 'Mia',
    lastName: 'Tran',
    position: 'Owner',
    responsibility: 'Quotes',
    avatarImg: '',
    isDisabled: false,
    user: { id: 'user_6H8EV88000000001', email: 'mia@harbourplumbing.example' },
  }),
});

export const listOrganizationServices = endpoint({
  method: 'GET',
  path: '/v1/organization/services',
  scope: 'read',
  access: 'all',
  summary: 'List all services, by category',
  description:
    'Every category of the organization, of either type and also without services; categories, and the services within ' +
    'one, by id ascending. The ids are those that `tradeCategoryId` takes.',
  params: {},
  responses: {
    200: v.strictObject({
      categories: v.array(ServiceCategory),
      totalCategories: count,
      totalServices: count,
    }),
  },
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
