import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordId, text, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const about = 'Inquiries: calls, emails, chats, SMS and web forms of leads';

export const inquirySources = ['CALL', 'EMAIL', 'CHATBOT', 'SMS', 'WEBFORM'] as const;
export type InquirySource = (typeof inquirySources)[number];

const fields = {
  id: recordId('inquiry'),
  tag: v.string(),
  summary: v.string(),
  isFirstInquiry: v.pipe(v.boolean(), v.description("Whether it is its lead's first")),
  isRead: v.boolean(),
  leadId: v.pipe(recordId('lead'), v.description('Stays when the lead is deleted')),
  createdAt: timestamp,
};

/** What a listing says of the lead that an inquiry belongs to. */
export const InquiryLead = v.strictObject({
  id: recordId('lead'),
  firstName: v.string(),
  lastName: v.string(),
  email: v.string(),
  phone: v.string(),
});
export type InquiryLead = v.InferOutput<typeof InquiryLead>;

/** An inquiry as a list shows it (specification, section 2). */
export const InquiryListItem = v.strictObject({
  ...fields,
  source: v.picklist(inquirySources),
  sourceId: v.pipe(v.string(), v.description('The id of `data` in the single read')),
  externalInquiryId: v.optional(
    v.pipe(
      v.nullable(v.string()),
      v.description('With `expand` of `external` or `both`: its id in another system, or null'),
    ),
  ),
  lead: v.optional(
    v.pipe(
      v.nullable(InquiryLead),
      v.description('With `expand` of `lead` or `both`: its lead, or null when that was deleted'),
    ),
  ),
});
export type InquiryListItem = v.InferOutput<typeof InquiryListItem>;

export const callDirections = ['LEAD_TO_AI', 'AI_TO_LEAD'] as const;
export const callEnders = ['user', 'assistant', 'system'] as const;
export const speakers = ['user', 'assistant'] as const;

/** What was said in a call, one turn at a time. */
export const TranscriptEntry = v.strictObject({
  id: v.string(),
  created_at: v.string(),
  text: v.string(),
  user: v.picklist(speakers),
});

/** The call behind an inquiry (specification, section 2). */
export const CallData = v.strictObject({
  id: recordId('call'),
  summary: v.string(),
  keyPoints: v.array(v.string()),
  recordingUrl: v.string(),
  transcripts: v.array(TranscriptEntry),
  direction: v.picklist(callDirections),
  duration: v.pipe(v.number(), v.minValue(0), v.description('In seconds')),
  startedAt: timestamp,
  endedAt: timestamp,
  endedBy: v.picklist(callEnders),
});

/** The email behind an inquiry. */
export const EmailData = v.strictObject({
  id: recordId('email'),
  subject: v.string(),
  from: v.string(),
  to: v.string(),
  body: v.string(),
  receivedAt: timestamp,
});

/** The chat behind an inquiry. */
export const ChatbotData = v.strictObject({
  id: recordId('chatbot'),
  messages: v.pipe(
    v.array(
      v.strictObject({
        id: v.string(),
        user: v.picklist(speakers),
        text: v.string(),
        createdAt: timestamp,
      }),
    ),
    v.description('Oldest first'),
  ),
});

export const smsDirections = ['OUTBOUND', 'INBOUND'] as const;
/** What became of an SMS. SENDING: handed over, and nothing heard of since. UNKNOWN: the provider gave no answer. */
export const smsStatuses = ['SENDING', 'SENT', 'FAILED', 'UNKNOWN', 'RECEIVED'] as const;

/** One SMS of a thread. */
export const SmsMessage = v.strictObject({
  id: v.string(),
  direction: v.picklist(smsDirections),
  text: v.string(),
  createdAt: timestamp,
  status: v.pipe(
    v.picklist(smsStatuses),
    v.description('SENDING: handed over, outcome not known yet. UNKNOWN: the provider gave no answer'),
    v.metadata({ 'x-extension': true }),
  ),
});

/** How many messages of a thread the single read of its inquiry shows. */
export const shownMessages = 100;

/** The message thread behind an inquiry. */
export const SmsData = v.strictObject({
  id: v.pipe(v.string(), v.description('The `messageThreadId` of `POST /v1/sms`')),
  messages: v.pipe(
    v.array(SmsMessage),
    v.description(`The newest ${shownMessages} of the thread, oldest first`),
  ),
});

export type SmsData = v.InferOutput<typeof SmsData>;

/** The web form behind an inquiry. */
export const WebformData = v.strictObject({
  id: recordId('webform'),
  formName: v.string(),
  fields: v.record(v.string(), v.string()),
  submittedAt: timestamp,
});

export const CallInquiry = v.strictObject({ ...fields, source: v.literal('CALL'), data: CallData });
export const EmailInquiry = v.strictObject({ ...fields, source: v.literal('EMAIL'), data: EmailData });
export const ChatbotInquiry = v.strictObject({ ...fields, source: v.literal('CHATBOT'), data: ChatbotData });
export const SmsInquiry = v.strictObject({ ...fields, source: v.literal('SMS'), data: SmsData });
export const WebformInquiry = v.strictObject({ ...fields, source: v.literal('WEBFORM'), data: WebformData });

/** An inquiry as it is read by its id: `data` is what its source recorded. */
export const Inquiry = v.variant('source', [
  CallInquiry,
  EmailInquiry,
  ChatbotInquiry,
  SmsInquiry,
  WebformInquiry,
]);
export type Inquiry = v.InferOutput<typeof Inquiry>;

const expansions = ['external', 'lead', 'both'] as const;

/** The query of the list of inquiries. */
export const InquiryQuery = v.object({
  ...PageQuery.entries,
  leadId: v.optional(
    v.pipe(
      text(100),
      v.minLength(1, 'must not be empty'),
      v.description(
        'Only inquiries of this lead, also of one that was deleted; of an unknown one there are none',
      ),
    ),
  ),
  source: v.optional(v.pipe(v.picklist(inquirySources), v.description('Only inquiries that came this way'))),
  expand: v.optional(
    v.pipe(
      v.picklist(expansions),
      v.description('Adds `externalInquiryId`, or `lead`, or both, to each item'),
    ),
  ),
});
export type InquiryQuery = v.InferOutput<typeof InquiryQuery>;

const exampleFields = {
  id: 'inquiry_6H8EV88000000007',
  tag: 'Hot water',
  summary: 'No hot water since this morning, wants someone today',
  isFirstInquiry: true,
  isRead: false,
  leadId: 'lead_6H8EV88000000005',
  createdAt: '2026-11-02T13:10:00.000Z',
  source: 'CALL',
};

export const listInquiries = endpoint({
  method: 'GET',
  path: '/v1/inquiries',
  scope: 'read',
  access: 'join',
  summary: 'List inquiries, newest first',
  description: '`leadId`, `source` and `expand` can be combined in any way.',
  params: {},
  query: InquiryQuery,
  responses: { 200: pageSchema('inquiries', InquiryListItem) },
  errors: [],
  example: {
    ...pageExample('inquiries', {
      ...exampleFields,
      sourceId: 'call_6H8EV88000000003',
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

export const getInquiry = endpoint({
  method: 'GET',
  path: '/v1/inquiries/{inquiryId}',
  scope: 'read',
  access: 'view',
  summary: 'Read an inquiry, with what its source recorded',
  params: { inquiryId: v.pipe(recordId('inquiry'), v.description("The inquiry's id")) },
  responses: { 200: Inquiry },
  errors: [404],
  example: {
    params: { inquiryId: 'inquiry_6H8EV88000000007' },
    response: {
      ...exampleFields,
      data: {
        id: 'call_6H8EV88000000003',
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
          {
            id: '2',
            created_at: '2026-11-02T13:06:07.000Z',
            text: 'We have had no hot water since this morning.',
            user: 'user',
          },
        ],
        direction: 'LEAD_TO_AI',
        duration: 214,
        startedAt: '2026-11-02T13:06:00.000Z',
        endedAt: '2026-11-02T13:09:34.000Z',
        endedBy: 'user',
      },
    },
  },
});
