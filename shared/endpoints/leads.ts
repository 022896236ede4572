import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { count, line, readOnlyFields, recordId, recordNumber, text, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const about = 'Leads: people who may become customers, and what happened to them';

export const leadStatuses = ['pending', 'active', 'quoted', 'won', 'lost', 'archived'] as const;

const LeadStatus = v.picklist(leadStatuses);
const SocialName = v.pipe(text(50), v.minLength(1));
const Socials = v.pipe(v.record(SocialName, text(500)), v.maxEntries(20));

/** A lead as the API shows it (specification, section 2). */
export const Lead = v.strictObject({
  id: recordId('lead'),
  firstName: v.string(),
  lastName: v.string(),
  email: v.string(),
  phone: v.string(),
  suburb: v.string(),
  businessName: v.string(),
  socials: v.record(v.string(), v.string()),
  status: LeadStatus,
  createdAt: timestamp,
  read: v.boolean(),
  lastInquiryId: v.nullable(v.string()),
  lastInquiryDate: v.nullable(timestamp),
  unreadEmails: count,
  unreadCalls: count,
  unreadChatbotThreads: count,
  unreadSMS: count,
  unreadWebformSubmissions: count,
  hasFlaggedInquiry: v.boolean(),
});
export type Lead = v.InferOutput<typeof Lead>;

const nameLength = 100;
const nameTooLong = `must be a first and a last name of at most ${nameLength} each`;

/** A whole name's first and last name: what is before its first space, and what is after. */
export function halvesOf(name: string): [firstName: string, lastName: string] {
  const [first = '', ...rest] = name.split(' ');
  return [first, rest.join(' ').trim()];
}

/** What a client sends to create a lead. */
export const NewLead = v.pipe(
  v.strictObject({
    name: v.optional(
      v.pipe(
        line(201),
        v.check((name) => halvesOf(name).every((half) => half.length <= nameLength), nameTooLong),
        v.description('Splits at its first space into first and last name, where those are not given'),
      ),
    ),
    firstName: v.optional(line(nameLength)),
    lastName: v.optional(line(nameLength)),
    email: v.optional(v.union([v.literal(''), v.pipe(line(254), v.rfcEmail())], 'must be an email address')),
    phone: v.optional(
      v.pipe(
        line(40),
        v.description("Stored in E.164; a national number is read in the organization's country"),
      ),
    ),
    suburb: v.optional(line(100)),
    businessName: v.optional(line(200)),
    socials: v.optional(Socials),
    status: v.optional(LeadStatus),
  }),
  v.forward(
    v.partialCheck(
      [['name'], ['firstName']],
      ({ name, firstName }) => Boolean(name || firstName),
      'is required where there is no name',
    ),
    ['firstName'],
  ),
);
export type NewLead = v.InferOutput<typeof NewLead>;

export const activityEvents = [
  'LEAD_CREATED',
  'LEAD_UPDATED',
  'LEAD_STATUS_CHANGED',
  'INQUIRY_CREATED',
  'SMS_SENT',
  'APPOINTMENT_CREATED',
  'APPOINTMENT_UPDATED',
  'APPOINTMENT_CANCELLED',
] as const;

/** One thing that happened to a lead (specification, section 2). */
export const LeadActivity = v.strictObject({
  id: recordNumber,
  event: v.picklist(activityEvents),
  data: v.string(),
  referenceId: v.string(),
  userId: v.string(),
  leadId: recordId('lead'),
  createdAt: timestamp,
});
export type LeadActivity = v.InferOutput<typeof LeadActivity>;

const leadId = v.pipe(recordId('lead'), v.description("The lead's id"));

const example = {
  id: 'lead_6H8EV88000000005',
  firstName: 'Sofia',
  lastName: 'Rossi',
  email: 'sofia.rossi@example.com',
  phone: '+61491570159',
  suburb: 'Leichhardt',
  businessName: '',
  socials: {},
  status: 'pending',
  createdAt: '2026-11-02T13:00:00.000Z',
  read: false,
  lastInquiryId: null,
  lastInquiryDate: null,
  unreadEmails: 0,
  unreadCalls: 0,
  unreadChatbotThreads: 0,
  unreadSMS: 0,
  unreadWebformSubmissions: 0,
  hasFlaggedInquiry: false,
};
const params = { leadId: example.id };

export const listLeads = endpoint({
  method: 'GET',
  path: '/v1/leads',
  scope: 'read',
  access: 'page',
  summary: 'List leads, newest first',
  params: {},
  query: PageQuery,
  responses: { 200: pageSchema('leads', Lead) },
  errors: [],
  example: pageExample('leads', example),
});

export const createLead = endpoint({
  method: 'POST',
  path: '/v1/leads',
  scope: 'write',
  access: 'write',
  summary: 'Create a lead',
  description:
    'A lead needs a `firstName` or a `name`. An email or phone number that a live lead of the organization already has, ' +
    'in any case, is a 409 whose `error.existingId` names that lead.',
  params: {},
  body: NewLead,
  readOnly: readOnlyFields(Lead, NewLead),
  responses: { 201: v.strictObject({ lead: Lead }) },
  errors: [409],
  example: {
    body: {
      name: 'Sofia Rossi',
      email: 'sofia.rossi@example.com',
      phone: '0491 570 159',
      suburb: 'Leichhardt',
    },
    response: { lead: example },
  },
});

export const getLead = endpoint({
  method: 'GET',
  path: '/v1/leads/{leadId}',
  scope: 'read',
  access: 'get',
  summary: 'Read a lead',
  params: { leadId },
  responses: { 200: v.strictObject({ lead: Lead }) },
  errors: [404],
  extension: true,
  example: { params, response: { lead: example } },
});

export const deleteLead = endpoint({
  method: 'DELETE',
  path: '/v1/leads/{leadId}',
  scope: 'write',
  access: 'delete',
  summary: 'Delete a lead',
  description: 'The lead and its activity list are gone. Its inquiries stay.',
  params: { leadId },
  responses: { 200: v.strictObject({ message: v.literal('Lead deleted successfully') }) },
  errors: [404],
  example: { params, response: { message: 'Lead deleted successfully' } },
});

export const listLeadActivities = endpoint({
  method: 'GET',
  path: '/v1/leads/{leadId}/activities',
  scope: 'read',
  access: 'view',
  summary: 'List what happened to a lead, newest first',
  params: { leadId },
  query: PageQuery,
  responses: { 200: pageSchema('activities', LeadActivity) },
  errors: [404],
  example: {
    params,
    ...pageExample('activities', {
      id: 12,
      event: 'LEAD_CREATED',
      data: 'The lead was created',
      referenceId: example.id,
      userId: 'user_6H8EV88000000001',
      leadId: example.id,
      createdAt: example.createdAt,
    }),
  },
});
