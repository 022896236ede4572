import * as v from 'valibot';
import { noAddress } from './address.ts';
import { endpoint } from './endpoint.ts';
import { exclusive } from './exclusive.ts';
import { filledLine, pathId, readOnlyFields, recordId, text, timestamp } from './fields.ts';
import { CallData, ChatbotData, EmailData, InquirySource, SmsData, WebformData } from './inquiry-data.ts';
import { createLeadEndpoint, Lead } from './leads.ts';
import { InquiryChanges, NewInquiry } from './new-inquiry.ts';
import { SaidQuery } from './said.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import { extension, type Descriptions } from './descriptions.ts';

export { inquirySources, InquirySource, shownMessages, SmsData } from './inquiry-data.ts';

export const tagDescription = 'Inquiries: calls, emails, chats, SMS and web forms of leads';

export const inquiryLabel = 'inquiry';

const fields = {
  id: recordId('inquiry'),
  tag: v.string(),
  summary: v.string(),
  isFirstInquiry: v.boolean(),
  isRead: v.boolean(),
  isFlagged: v.pipe(v.boolean(), v.metadata(extension)),
  leadId: recordId('lead'),
  createdAt: timestamp,
  updatedAt: v.pipe(timestamp, v.metadata(extension)),
};

/** The lead of an inquiry, as a list of inquiries shows it. */
export const InquiryLead = v.strictObject({
  id: recordId('lead'),
  firstName: v.string(),
  lastName: v.string(),
  email: v.string(),
  phone: v.string(),
});
export type InquiryLead = v.InferOutput<typeof InquiryLead>;

/** An inquiry as a list shows it: docs/reference/inquiries.md. */
export const InquiryListItem = v.strictObject({
  ...fields,
  source: InquirySource,
  sourceId: v.string(),
  externalInquiryId: v.optional(v.nullable(v.string())),
  lead: v.optional(v.nullable(InquiryLead)),
});
export type InquiryListItem = v.InferOutput<typeof InquiryListItem>;

const given = v.pipe(v.string(), v.metadata(extension));
const singleFields = { ...fields, givenEmail: given, givenPhone: given };

export const CallInquiry = v.strictObject({ ...singleFields, source: v.literal('CALL'), data: CallData });
export const EmailInquiry = v.strictObject({ ...singleFields, source: v.literal('EMAIL'), data: EmailData });
export const ChatbotInquiry = v.strictObject({
  ...singleFields,
  source: v.literal('CHATBOT'),
  data: ChatbotData,
});
export const SmsInquiry = v.strictObject({ ...singleFields, source: v.literal('SMS'), data: SmsData });
export const WebformInquiry = v.strictObject({
  ...singleFields,
  source: v.literal('WEBFORM'),
  data: WebformData,
});

/** An inquiry that is read by its id. `data` has the data of its source. */
export const Inquiry = v.variant('source', [
  CallInquiry,
  EmailInquiry,
  ChatbotInquiry,
  SmsInquiry,
  WebformInquiry,
]);
export type Inquiry = v.InferOutput<typeof Inquiry>;

const expansions = ['external', 'lead', 'both'] as const;
export const InquiryExpansion = v.picklist(expansions);

export const InquiryQuery = v.pipe(
  v.object({
    ...PageQuery.entries,
    leadId: v.optional(v.pipe(text(100), v.minLength(1, 'must not be empty'))),
    source: v.optional(InquirySource),
    isRead: v.optional(
      v.pipe(
        v.literal('false', 'must be false'),
        v.transform(() => false),
        v.boolean(),
        v.metadata({ const: false, ...extension }),
      ),
    ),
    tag: v.optional(v.pipe(filledLine(100), v.metadata(extension))),
    expand: v.optional(InquiryExpansion),
  }),
  exclusive(['isRead', 'tag'], ['leadId', 'source']),
);
export type InquiryQuery = v.InferOutput<typeof InquiryQuery>;

/** A stored inquiry, and its lead. */
export const StoredInquiry = v.strictObject({ inquiry: Inquiry, lead: v.nullable(Lead) });
export type StoredInquiry = v.InferOutput<typeof StoredInquiry>;

/** A stored inquiry, to be read out. */
export const SaidInquiry = v.strictObject({
  say: v.string(),
  inquiryId: recordId('inquiry'),
  leadId: recordId('lead'),
});
export type SaidInquiry = v.InferOutput<typeof SaidInquiry>;

export const InquiryPage = pageSchema('inquiries', InquiryListItem);

export const descriptions = {
  InquiryLead: { is: 'The lead of an inquiry in a list', like: 'Lead' },
  InquiryListItem: {
    is: 'An inquiry as a list shows it',
    fields: {
      tag:
        'The subject in a word or two, chosen by the organization. A tag is kept when no inquiry has it any more. So no names ' +
        'of people',
      summary:
        'The inquiry in a sentence or two. Of a thread of SMS: the beginning of the text that came in last, or of the first ' +
        'message, until a client says one',
      isFirstInquiry: "Whether it is its lead's first",
      isRead: 'Whether a person has read it',
      isFlagged: 'Whether it is marked to be looked at again',
      leadId: 'The lead that it belongs to; stays when the lead is deleted',
      createdAt: 'When it came',
      updatedAt:
        'When it was last changed, or a text came in. Outgoing texts and their outcome change the `ETag` alone',
      source: 'The way that it came',
      sourceId: 'The id of `data` in the single read',
      externalInquiryId: 'With `expand` of `external` or `both`: its id in another system, or null',
      lead: 'With `expand` of `lead` or `both`: its lead, or null when that was deleted',
    },
  },
  InquiryPage: { is: 'A page of inquiries', fields: { inquiries: 'The inquiries of this page' } },
  CallInquiry: {
    is: 'An inquiry that was a call',
    like: 'InquiryListItem',
    fields: {
      givenEmail: 'The email address that it came with, where its lead does not have it; else empty',
      givenPhone:
        'The phone number as it came, where its lead does not have it, or the text has more than the number; else empty',
      data: 'The call',
    },
  },
  EmailInquiry: { is: 'An inquiry that was an email', like: 'CallInquiry', fields: { data: 'The email' } },
  ChatbotInquiry: { is: 'An inquiry that was a chat', like: 'CallInquiry', fields: { data: 'The chat' } },
  SmsInquiry: {
    is: 'An inquiry that was a thread of SMS',
    like: 'CallInquiry',
    fields: { data: 'The thread' },
  },
  WebformInquiry: { is: 'An inquiry that was a web form', like: 'CallInquiry', fields: { data: 'The form' } },
  Inquiry: { is: 'An inquiry that is read by its id: `data` is the record of its source' },
  StoredInquiry: {
    is: 'An inquiry that was stored, and its lead',
    fields: { inquiry: 'The inquiry', lead: 'Its lead, or null when that was deleted' },
  },
  SaidInquiry: {
    is: 'An inquiry that was stored, to be read out',
    fields: {
      say: 'A sentence for the sender',
      inquiryId: 'The inquiry',
      leadId: 'The lead that it belongs to; stays when the lead is deleted',
    },
  },
  InquiryExpansion: {
    is: 'Additions to each inquiry of a list: its id in another system, its lead, or both',
  },
  InquiryQuery: {
    is: 'Which inquiries to read',
    like: 'PageQuery',
    fields: {
      leadId:
        'Only inquiries of this lead, also if the lead is deleted. For an unknown lead the list is empty',
      source: 'Only inquiries that came this way',
      isRead:
        'With `false`, the one value, only inquiries that nobody has read. Not with `leadId`, `source` or `tag`',
      tag: 'Only inquiries with this tag, in the same case. Not with `leadId`, `source` or `isRead`',
      expand: 'Adds `externalInquiryId`, or `lead`, or both, to each item',
    },
  },
} satisfies Descriptions;

const inquiryId = pathId(inquiryLabel, recordId('inquiry'));

const exampleFields = {
  id: 'inquiry_6H8EV88000000007',
  tag: 'Hot water',
  summary: 'No hot water since this morning, wants someone today',
  isFirstInquiry: true,
  isRead: false,
  isFlagged: false,
  leadId: 'lead_6H8EV88000000005',
  createdAt: '2026-11-02T13:10:00.000Z',
  updatedAt: '2026-11-02T13:10:00.000Z',
  source: 'CALL',
};
const params = { inquiryId: exampleFields.id };

const exampleData = {
  summary: 'No hot water since this morning, wants someone today',
  keyPoints: ['Gas storage heater, eight years old', 'Home after 3 pm'],
  recordingUrl: 'https://recordings.example.com/call_6H8EV88000000003.mp3',
  transcripts: [
    {
      id: '1',
      created_at: '2026-11-02T13:06:02.000Z',
      text: 'Harbour Plumbing, how can I help?',
      user: 'assistant',
    },
    { id: '2', created_at: '2026-11-02T13:06:07.000Z', text: 'We have no hot water.', user: 'user' },
  ],
  direction: 'LEAD_TO_AI',
  duration: 240,
  startedAt: '2026-11-02T13:06:00.000Z',
  endedAt: '2026-11-02T13:10:00.000Z',
  endedBy: 'user',
  endReason: 'user_hangup',
  fields: { problem: 'No hot water' },
};
const example = {
  ...exampleFields,
  givenEmail: '',
  givenPhone: '',
  data: { id: 'call_6H8EV88000000003', ...exampleData },
};

export const listInquiriesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/inquiries',
  scope: 'inquiries:read',
  access: ['GetItem', 'Query', 'Query list', 'BatchGetItem'],
  summary: 'List inquiries, newest first',
  description:
    '`leadId`, `source` and `expand` can be combined in any way; `isRead` and `tag` with `expand` alone. Unread ' +
    'inquiries have the order in which they became unread, and inquiries of a tag the order in which they got the tag. Each ' +
    'text that comes in makes its inquiry the newest unread inquiry.',
  tellsTimeZone: true,
  params: {},
  query: InquiryQuery,
  responses: { 200: InquiryPage },
  related: { in: 'lead', items: 'inquiries', scope: 'leads:read' },
  errors: [],
  example: {
    ...pageExample('inquiries', {
      ...exampleFields,
      sourceId: example.data.id,
      externalInquiryId: null,
      lead: {
        id: 'lead_6H8EV88000000005',
        firstName: 'Sofia',
        lastName: 'Rossi',
        email: 'sofia.rossi@example.com',
        phone: '+61491570159',
      },
    }),
    query: { page: '1', limit: '50', leadId: exampleFields.leadId, source: 'CALL', expand: 'both' },
  },
});

export const createInquiryEndpoint = endpoint({
  method: 'POST',
  path: '/v1/inquiries',
  scope: 'inquiries:create',
  access: ['GetItem', 'Query list', 'PutItem', 'UpdateItem', 'DeleteItem'],
  bringsLeads: true,
  summary: 'Create an inquiry, and find or create its lead',
  description:
    'For what providers of telephony, mail, chat and voice agents, and forms, hand over. `leadId` names the lead. Or ' +
    '`lead` describes the sender: the lead is found by this email, else by this phone number, else made. Empty fields of an ' +
    'existing lead are filled in. Its email and its phone number are filled in only if the token allows `leads:write`. If ' +
    'an inquiry has the `externalInquiryId` already, nothing is stored, whatever the rest of the body says. The answer is a ' +
    '200 with that inquiry. So a provider can send an inquiry again.',
  params: {},
  query: SaidQuery,
  body: NewInquiry,
  readOnly: ['id', 'isFirstInquiry', 'createdAt', 'updatedAt', 'givenEmail', 'givenPhone'],
  responses: { 200: StoredInquiry, 201: StoredInquiry },
  said: {
    schema: SaidInquiry,
    example: {
      say: 'Thank you, your message is noted.',
      inquiryId: exampleFields.id,
      leadId: exampleFields.leadId,
    },
  },
  record: { in: 'inquiry' },
  related: { in: 'lead', scope: 'leads:read' },
  errors: [404],
  extension: true,
  example: {
    query: {},
    body: {
      source: 'CALL',
      externalInquiryId: 'call-8812',
      tag: exampleFields.tag,
      summary: exampleFields.summary,
      lead: { name: 'Sofia Rossi', phone: '+61 491 570 159' },
      data: exampleData,
    },
    response: {
      inquiry: example,
      lead: {
        ...createLeadEndpoint.example.response.lead,
        email: '',
        suburb: '',
        address: noAddress,
        createdAt: example.createdAt,
        updatedAt: example.createdAt,
        lastInquiryId: example.id,
        lastInquiryDate: example.createdAt,
        unreadCalls: 1,
      },
    },
  },
});

export const getInquiryEndpoint = endpoint({
  method: 'GET',
  path: '/v1/inquiries/{inquiryId}',
  scope: 'inquiries:read',
  access: ['GetItem', 'Query list'],
  summary: 'Read an inquiry with its call, email, chat, SMS or form',
  description: 'The fields of `data` depend on the `source`.',
  tellsTimeZone: true,
  params: { inquiryId },
  responses: { 200: Inquiry },
  record: {},
  errors: [404],
  example: { params, response: example },
});

export const updateInquiryEndpoint = endpoint({
  method: 'PATCH',
  path: '/v1/inquiries/{inquiryId}',
  scope: 'inquiries:write',
  access: ['GetItem', 'Query list', 'PutItem', 'UpdateItem'],
  summary: 'Change an inquiry',
  description:
    'Fields that are left out stay unchanged. Its lead, if it is still there, counts its unread inquiries anew, and knows ' +
    'whether one is flagged.',
  params: { inquiryId },
  body: InquiryChanges,
  readOnly: readOnlyFields(CallInquiry, InquiryChanges),
  responses: { 200: Inquiry },
  record: {},
  errors: [404],
  extension: true,
  example: {
    params,
    body: { isRead: true, isFlagged: true },
    response: { ...example, isRead: true, isFlagged: true },
  },
});
