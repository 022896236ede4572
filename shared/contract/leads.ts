import * as v from 'valibot';
import { searchProblem } from '../core/search-terms.ts';
import { Address, hasOneSuburb, NewAddress, suburb, twoSuburbs } from './address.ts';
import { endpoint } from './endpoint.ts';
import { activityNames } from './events.ts';
import { exclusive } from './exclusive.ts';
import {
  count,
  emailOrEmpty,
  filledLine,
  isEmail,
  isVisible,
  codePointsIn,
  line,
  notEmail,
  pathId,
  readOnlyFields,
  recordId,
  recordNumber,
  socials,
  timestamp,
} from './fields.ts';
import { halvesOf } from './halves-of.ts';
import { momentInQuery } from './moment.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { extension, type Descriptions } from './descriptions.ts';

export const tagDescription = 'Leads: people who may become customers, and what happened to them';

export const leadLabel = 'lead';

export const leadStatuses = ['pending', 'active', 'quoted', 'won', 'lost', 'archived'] as const;

export const LeadStatus = v.picklist(leadStatuses);
export type LeadStatus = v.InferOutput<typeof LeadStatus>;

/** A lead as the API shows it: docs/reference/leads.md, Lead. */
export const Lead = v.strictObject({
  id: recordId('lead'),
  firstName: v.string(),
  lastName: v.string(),
  email: v.string(),
  phone: v.string(),
  suburb: v.string(),
  // Lazy, because the API's description would repeat a schema that begins a pipe, instead of referring to it.
  address: v.pipe(
    v.lazy(() => Address),
    v.metadata(extension),
  ),
  businessName: v.string(),
  socials: v.record(v.string(), v.string()),
  externalId: v.pipe(v.string(), v.metadata(extension)),
  status: LeadStatus,
  createdAt: timestamp,
  updatedAt: v.pipe(timestamp, v.metadata(extension)),
  read: v.boolean(),
  lastInquiryId: v.nullable(v.string()),
  lastInquiryDate: v.nullable(timestamp),
  unreadEmails: count,
  unreadCalls: count,
  unreadChatbotThreads: count,
  unreadSMS: count,
  unreadWebformSubmissions: count,
  hasFlaggedInquiry: v.boolean(),
  isOptedOut: v.pipe(v.boolean(), v.metadata(extension)),
});
export type Lead = v.InferOutput<typeof Lead>;

/** Maximum length of an id of another system. A sort key has at most 1024 bytes, and a character has up to four. */
const externalIdLength = 200;

const nameLength = 100;
const nameTooLong = `must be a first and a last name of at most ${nameLength} each`;

const newLeadFields = {
  name: v.optional(
    v.pipe(
      line(201),
      v.check((name) => halvesOf(name).every((half) => codePointsIn(half) <= nameLength), nameTooLong),
      v.check(
        (name) => halvesOf(name).every(isVisible),
        'must have a first and a last name that can be seen',
      ),
    ),
  ),
  firstName: v.optional(line(nameLength)),
  lastName: v.optional(line(nameLength)),
  email: v.optional(emailOrEmpty),
  phone: v.optional(line(40)),
  suburb: v.optional(suburb),
  address: v.pipe(v.optional(NewAddress), v.metadata(extension)),
  businessName: v.optional(line(200)),
  socials: v.optional(socials),
  externalId: v.optional(v.pipe(line(externalIdLength), v.metadata(extension))),
  status: v.optional(LeadStatus),
  isOptedOut: v.optional(v.pipe(v.boolean(), v.metadata(extension))),
};

type GivenNames = Partial<Record<'name' | 'firstName' | 'lastName', string | undefined>>;

/** True if a new lead has a `name` or a `firstName`. Otherwise the problem is reported at `firstName`. */
export const isNamed = ({ name, firstName }: GivenNames) => Boolean(name || firstName);
export const notNamed = 'is required where there is no name';
const sayNotNamed = ({ input: { lastName } }: { input: GivenNames }) =>
  lastName ? `${notNamed}; if there is only one name, send it as name` : notNamed;

export const noNumberToOptOut = 'can be true only if the lead has a phone number: give the lead a phone';
export const onlyStartOptsIn =
  'must not be false: the number has opted out, and only a text START from the number ends the opt-out';

export const NewLead = v.pipe(
  v.strictObject(newLeadFields),
  v.forward(v.partialCheck([['name'], ['firstName'], ['lastName']], isNamed, sayNotNamed), ['firstName']),
  v.forward(v.partialCheck([['suburb'], ['address']], hasOneSuburb, twoSuburbs), ['suburb']),
);
export type NewLead = v.InferOutput<typeof NewLead>;

/** Body of a change of a lead. Fields that are left out stay. */
export const LeadChanges = v.pipe(
  v.strictObject({ ...newLeadFields, read: v.optional(v.boolean()) }),
  v.forward(v.partialCheck([['suburb'], ['address']], hasOneSuburb, twoSuburbs), ['suburb']),
);
export type LeadChanges = v.InferOutput<typeof LeadChanges>;

/** Fields that identify a lead: two live leads never have the same value. */
export const leadMatches = ['email', 'phone', 'externalId'] as const;
export const LeadMatch = v.picklist(leadMatches);
export type LeadMatch = v.InferOutput<typeof LeadMatch>;
export const notMatched = 'is required where match names it';

/** Query of an upsert of a lead. */
export const LeadUpsertQuery = v.object({ match: LeadMatch });

/** Body of an upsert of a lead. The body must be enough for a new lead. */
export const LeadUpsert = v.pipe(
  v.strictObject(LeadChanges.entries),
  v.forward(v.partialCheck([['name'], ['firstName'], ['lastName']], isNamed, sayNotNamed), ['firstName']),
  v.forward(v.partialCheck([['suburb'], ['address']], hasOneSuburb, twoSuburbs), ['suburb']),
);
export type LeadUpsert = v.InferOutput<typeof LeadUpsert>;

/** Restores a plus. Clients often do not encode the plus, and a query reads a plus as a space. */
const plusForSpace = (pattern: RegExp) => v.transform((value: string) => value.replace(pattern, '+'));
/**
 * Restores the plus of an international number. A number that begins with 0 is national, or begins with an
 * international prefix (`00` or `0011`).
 */
const leadingPlus = plusForSpace(/^ +(?=[1-9])/);

const goTogether = ': of the filters, only createdFrom and createdTo go together';

/** Maximum number of leads that an answer to a range of time has. */
export const maxCreatedInRange = 1000;

/** Query of the list of leads. */
export const LeadQuery = v.pipe(
  v.object({
    ...PageQuery.entries,
    email: v.optional(
      v.pipe(
        v.string(),
        v.trim(),
        plusForSpace(/ /g),
        line(254),
        v.check(isEmail, notEmail),
        v.metadata(extension),
      ),
    ),
    phone: v.optional(v.pipe(v.string(), leadingPlus, filledLine(40), v.metadata(extension))),
    externalId: v.optional(v.pipe(filledLine(externalIdLength), v.metadata(extension))),
    status: v.optional(v.pipe(LeadStatus, v.metadata(extension))),
    createdFrom: v.optional(v.pipe(momentInQuery, v.metadata(extension))),
    createdTo: v.optional(v.pipe(momentInQuery, v.metadata(extension))),
    q: v.optional(
      v.pipe(
        line(100),
        v.rawCheck(({ dataset, addIssue }) => {
          const message = dataset.typed ? searchProblem(dataset.value) : undefined;
          if (message !== undefined) addIssue({ message });
        }),
        v.metadata({ minLength: 2, ...extension }),
      ),
    ),
  }),
  exclusive(
    ['email', 'phone', 'externalId', 'q'],
    ['status', 'createdFrom', 'createdTo', 'after', 'order'],
    goTogether,
  ),
  exclusive(['createdFrom'], ['status', 'after', 'order'], goTogether),
  exclusive(['createdTo'], ['status', 'after', 'order'], goTogether),
);
export type LeadQuery = v.InferOutput<typeof LeadQuery>;

export const ActivityEvent = v.picklist(activityNames);

/** One event in the activities of a lead: docs/reference/leads.md, Lead activity. */
export const LeadActivity = v.strictObject({
  id: recordNumber,
  event: ActivityEvent,
  data: v.string(),
  referenceId: v.string(),
  userId: v.string(),
  leadId: recordId('lead'),
  createdAt: timestamp,
});
export type LeadActivity = v.InferOutput<typeof LeadActivity>;

export const LeadPage = v.strictObject({
  ...pageSchema('leads', Lead).entries,
  hasMore: v.exactOptional(v.pipe(v.boolean(), v.metadata(extension))),
});
export const LeadEnvelope = v.strictObject({ lead: Lead });
export const LeadDeleted = v.strictObject({ message: v.literal('Lead deleted successfully') });
export const LeadActivityPage = pageSchema('activities', LeadActivity);

export const descriptions = {
  LeadStatus: { is: 'How far a lead has come' },
  Lead: {
    is: 'A person who may become a customer. A text that was never given is empty',
    fields: {
      firstName: 'The first name',
      lastName: 'The last name',
      email: 'The email address, which no other live lead has',
      phone: 'The phone number in E.164, which no other live lead has',
      suburb: 'The suburb where the lead lives or works: the suburb of `address`',
      address: 'The place that the lead lives or works in',
      businessName: 'The name of the business that the lead asks for',
      socials:
        'The profiles of the lead, by the name of the network: links with `https://` or `http://`, or names without a scheme',
      externalId: 'Its id in another system, which no other live lead has',
      status: 'How far the lead has come',
      updatedAt: 'When what is shown of the lead was last changed, also by an inquiry',
      read: 'Whether a person has read about the lead',
      lastInquiryId: 'The inquiry that came last, or whose thread got the last text. Null before the first',
      lastInquiryDate: 'When that came, or null before the first inquiry',
      unreadEmails: 'How many emails nobody has read yet',
      unreadCalls: 'How many calls nobody has read about yet',
      unreadChatbotThreads: 'How many chats nobody has read yet',
      unreadSMS: 'How many SMS threads nobody has read yet',
      unreadWebformSubmissions: 'How many web forms nobody has read yet',
      hasFlaggedInquiry: 'Whether an inquiry of the lead is flagged',
      isOptedOut: 'Whether the phone number has opted out of SMS: nothing is sent to it then',
    },
  },
  NewLead: {
    is: 'The body to create a lead: a `firstName` or a `name` is needed',
    like: 'Lead',
    fields: {
      name: 'Splits at its first space after a title into first and last name, where those are not given. "Okafor, Chidi" is Chidi Okafor',
      email: 'An email address, which no other live lead has, or an empty text',
      phone:
        'A valid phone number without an extension: international (`+`, `00` or `0011`), or national in the ' +
        "organization's country. The number is stored in E.164",
      externalId: 'Its id in another system, which no other live lead has, or an empty text',
      status: 'How far the lead has come; pending when not given',
      isOptedOut:
        'True opts the phone number out of SMS, and needs one. False is refused if the number has opted out: only a START ' +
        'from the number ends an opt-out',
    },
  },
  LeadChanges: {
    is: 'The body to change a lead',
    like: 'NewLead',
    fields: {
      firstName: 'The first name; a lead that has one keeps one',
      email: 'An email address, which no other live lead has; an empty text takes it away',
      phone: 'A phone number as in a new lead; an empty text takes it away',
      address: 'The place that the lead lives or works in. Parts that are left out stay',
      socials: 'The profiles of the lead, by the name of the network, in place of those it had',
      externalId: 'Its id in another system; an empty text takes it away',
      status: 'How far the lead has come',
      read: 'Whether a person has read about the lead',
    },
  },
  LeadMatch: { is: 'Which field of a lead finds it' },
  LeadUpsertQuery: {
    is: 'By what to find the lead',
    fields: { match: 'The field of the body that finds the lead' },
  },
  LeadUpsert: {
    is: 'The body to create or change a lead: the field that `match` names, and a `firstName` or a `name`',
    like: 'LeadChanges',
    fields: {
      firstName: 'The first name',
      status: 'How far the lead has come; pending when not given for a new lead',
    },
  },
  LeadQuery: {
    is: 'Which leads to list',
    like: 'PageQuery',
    fields: {
      email: 'Only the lead that has this email address, in any case',
      phone:
        "Only the lead that has this phone number: international, or national in the organization's country. A `+` that " +
        'comes as a space is a plus',
      externalId: 'Only the lead that has exactly this id in another system',
      status: 'Only leads that have come this far, the newest in this status first',
      createdFrom:
        'Only leads that were created from this time on. The answer has all of them, at most 1,000. A date is the beginning of ' +
        'the local day. Leads are found in the order of storing. Clocks differ by seconds, and so do the ends',
      createdTo: 'Only leads that were created before this time. A date is the end of the local day',
      q:
        'Only leads that have all of these, in any order: words that begin words of the first, last or business name, the ' +
        'beginning of the email address, the beginning or the end of the phone number. The first 100 are found. Case and ' +
        'accents do not matter, nor apostrophes and dashes',
    },
  },
  ActivityEvent: { is: 'The kind of an activity of a lead' },
  LeadActivity: {
    is: 'One thing that happened to a lead',
    fields: {
      event: 'What happened',
      data: 'A sentence for people about the activity',
      referenceId: 'The record that it is about: the lead itself where there is no other',
      userId: "The user of the request's token",
      leadId: 'The lead that it happened to',
      createdAt: 'When it happened',
    },
  },
  LeadPage: {
    is: 'A page of leads',
    fields: {
      leads: 'The leads of this page',
      hasMore: 'Of a search by `q`: whether more leads match than `totalCount` counts',
    },
  },
  LeadEnvelope: { is: 'A lead', fields: { lead: 'The lead' } },
  LeadDeleted: {
    is: 'The answer to the deletion of a lead',
    fields: { message: 'Always the same sentence' },
  },
  LeadActivityPage: {
    is: 'A page of what happened to a lead',
    fields: { activities: 'The activities of this page' },
  },
} satisfies Descriptions;

const leadId = pathId(leadLabel, recordId('lead'));

const example = {
  id: 'lead_6H8EV88000000005',
  firstName: 'Sofia',
  lastName: 'Rossi',
  email: 'sofia.rossi@example.com',
  phone: '+61491570159',
  suburb: 'Leichhardt',
  address: {
    line1: '12 Norton Street',
    line2: '',
    suburb: 'Leichhardt',
    state: 'NSW',
    postcode: '2040',
    country: '',
    access: 'The key is next door',
  },
  businessName: '',
  socials: {},
  externalId: '',
  status: 'pending',
  createdAt: '2026-11-02T13:00:00.000Z',
  updatedAt: '2026-11-02T13:00:00.000Z',
  read: false,
  lastInquiryId: null,
  lastInquiryDate: null,
  unreadEmails: 0,
  unreadCalls: 0,
  unreadChatbotThreads: 0,
  unreadSMS: 0,
  unreadWebformSubmissions: 0,
  hasFlaggedInquiry: false,
  isOptedOut: false,
};
const params = { leadId: example.id };

export const listLeadsEndpoint = endpoint({
  method: 'GET',
  path: '/v1/leads',
  scope: 'leads:read',
  access: ['GetItem', 'BatchGetItem', 'Query', 'Query list'],
  summary: 'List leads, newest first',
  description:
    'Deleted leads are neither listed nor counted. `email`, `phone`, `externalId`, `status` and `q` exclude each ' +
    'other: more than one of them is a 400. With `email`, `phone` or `externalId` there is one lead at most. With `q` ' +
    'the list has at most 100 leads, `totalCount` counts only these, and `hasMore` tells whether more leads match.',
  params: {},
  query: LeadQuery,
  responses: { 200: LeadPage },
  errors: [],
  example: pageExample('leads', example),
});

export const createLeadEndpoint = endpoint({
  method: 'POST',
  path: '/v1/leads',
  scope: 'leads:create',
  access: 'put',
  bringsLeads: true,
  summary: 'Create a lead',
  description:
    'A lead needs a `firstName` or a `name`. If another lead of the organization has the email, the phone number or the ' +
    '`externalId`, the answer is a 409, and `error.existingId` names that lead.',
  params: {},
  body: NewLead,
  readOnly: readOnlyFields(Lead, NewLead),
  responses: { 201: LeadEnvelope },
  record: { in: 'lead' },
  errors: [409],
  example: {
    body: {
      name: 'Sofia Rossi',
      email: 'sofia.rossi@example.com',
      phone: '0491 570 159',
      suburb: 'Leichhardt',
      address: {
        line1: '12 Norton Street',
        state: 'NSW',
        postcode: '2040',
        access: 'The key is next door',
      },
    },
    response: { lead: example },
  },
});

export const getLeadEndpoint = endpoint({
  method: 'GET',
  path: '/v1/leads/{leadId}',
  scope: 'leads:read',
  access: 'get',
  summary: 'Read a lead',
  description: 'As `GET /v1/leads` lists it.',
  tellsTimeZone: true,
  params: { leadId },
  responses: { 200: LeadEnvelope },
  record: { in: 'lead' },
  errors: [404],
  extension: true,
  example: { params, response: { lead: example } },
});

export const updateLeadEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/leads/{leadId}',
  scope: 'leads:write',
  // Delete: a change can free an email or phone number, and takes the lead out of the list of its old status.
  access: 'putUpdateAndDelete',
  summary: 'Change a lead',
  description:
    'Fields that are left out stay unchanged. Each change of the status is an activity. If another lead of the organization ' +
    'has the email, the phone number or the `externalId`, the answer is a 409, and `error.existingId` names that lead.',
  params: { leadId },
  body: LeadChanges,
  readOnly: readOnlyFields(Lead, LeadChanges),
  responses: { 200: LeadEnvelope },
  record: { in: 'lead' },
  errors: [404, 409],
  extension: true,
  example: {
    params,
    body: { status: 'active', read: true },
    response: {
      lead: { ...example, status: 'active', updatedAt: '2026-11-02T13:20:00.000Z', read: true },
    },
  },
});

export const upsertLeadEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/leads',
  scope: 'leads:write',
  // Changes a lead in the same way as `updateLead`.
  access: 'putUpdateAndDelete',
  bringsLeads: true,
  summary: 'Create a lead, or change the one with the same email, phone number or external id',
  description:
    '`match` names a field that the body must have. The lead with this value is changed as by `PUT /v1/leads/{leadId}`, ' +
    'and the answer is 200. If no lead has the value, a lead is created as by `POST /v1/leads`, and the answer is 201. ' +
    'Either is one transaction, so requests at the same time make one lead, and a request can be sent again. If another lead ' +
    'has another value of the body, the answer is a 409, and `error.existingId` names that lead. With `If-Match` no lead ' +
    'is created: 412.',
  params: {},
  query: LeadUpsertQuery,
  body: LeadUpsert,
  readOnly: readOnlyFields(Lead, LeadUpsert),
  responses: { 200: LeadEnvelope, 201: LeadEnvelope },
  record: { in: 'lead' },
  errors: [409],
  extension: true,
  example: {
    query: { match: 'externalId' },
    body: { name: 'Sofia Rossi', externalId: 'crm-1207', status: 'active' },
    response: {
      lead: {
        ...example,
        externalId: 'crm-1207',
        status: 'active',
        updatedAt: '2026-11-02T13:20:00.000Z',
      },
    },
  },
});

export const deleteLeadEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/leads/{leadId}',
  scope: 'leads:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a lead',
  description: 'The lead and its activity list are gone. Its inquiries stay.',
  params: { leadId },
  responses: { 200: LeadDeleted },
  record: {},
  errors: [404],
  example: { params, response: { message: 'Lead deleted successfully' } },
});

export const listLeadActivitiesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/leads/{leadId}/activities',
  scope: 'leads:read',
  access: ['GetItem', 'Query list'],
  summary: 'List what happened to a lead, newest first',
  description: 'Who did what, and when, in sentences for people.',
  tellsTimeZone: true,
  params: { leadId },
  query: PageQuery,
  responses: { 200: LeadActivityPage },
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
