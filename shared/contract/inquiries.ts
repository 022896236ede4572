import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordId, text, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Words } from './words.ts';

export const tagDescription = 'Inquiries: calls, emails, chats, SMS and web forms of leads';

export const inquirySources = ['CALL', 'EMAIL', 'CHATBOT', 'SMS', 'WEBFORM'] as const;
export const InquirySource = v.picklist(inquirySources);
export type InquirySource = (typeof inquirySources)[number];

const fields = {
  id: recordId('inquiry'),
  tag: v.string(),
  summary: v.string(),
  isFirstInquiry: v.boolean(),
  isRead: v.boolean(),
  leadId: recordId('lead'),
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

/** An inquiry as a list shows it: docs/reference.md, Inquiry. */
export const InquiryListItem = v.strictObject({
  ...fields,
  source: InquirySource,
  sourceId: v.string(),
  externalInquiryId: v.optional(v.nullable(v.string())),
  lead: v.optional(v.nullable(InquiryLead)),
});
export type InquiryListItem = v.InferOutput<typeof InquiryListItem>;

export const callDirections = ['LEAD_TO_AI', 'AI_TO_LEAD'] as const;
export const CallDirection = v.picklist(callDirections);
export const callEnders = ['user', 'assistant', 'system'] as const;
export const CallEnder = v.picklist(callEnders);
export const speakers = ['user', 'assistant'] as const;
export const Speaker = v.picklist(speakers);

/** One turn of a call. */
export const TranscriptEntry = v.strictObject({
  id: v.string(),
  created_at: v.string(),
  text: v.string(),
  user: Speaker,
});

/** The call behind an inquiry: docs/reference.md, Inquiry. */
export const CallData = v.strictObject({
  id: recordId('call'),
  summary: v.string(),
  keyPoints: v.array(v.string()),
  recordingUrl: v.string(),
  transcripts: v.array(TranscriptEntry),
  direction: CallDirection,
  duration: v.pipe(v.number(), v.minValue(0)),
  startedAt: timestamp,
  endedAt: timestamp,
  endedBy: CallEnder,
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

/** One turn of a chat. */
export const ChatbotMessage = v.strictObject({
  id: v.string(),
  user: Speaker,
  text: v.string(),
  createdAt: timestamp,
});

/** The chat behind an inquiry. */
export const ChatbotData = v.strictObject({
  id: recordId('chatbot'),
  messages: v.array(ChatbotMessage),
});

export const smsDirections = ['OUTBOUND', 'INBOUND'] as const;
export const SmsDirection = v.picklist(smsDirections);
/** The states of an SMS. SENDING: handed over, no result yet. UNKNOWN: the provider gave no answer. */
export const smsStatuses = ['SENDING', 'SENT', 'FAILED', 'UNKNOWN', 'RECEIVED'] as const;
export const SmsStatus = v.picklist(smsStatuses);

/** One SMS of a thread. */
export const SmsMessage = v.strictObject({
  id: v.string(),
  direction: SmsDirection,
  text: v.string(),
  createdAt: timestamp,
  status: v.pipe(SmsStatus, v.metadata({ 'x-extension': true })),
});

/** How many messages of its thread, the newest, an inquiry shows when read by its id. */
export const shownMessages = 100;

/** The message thread behind an inquiry. */
export const SmsData = v.strictObject({
  id: v.string(),
  messages: v.array(SmsMessage),
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
export const InquiryExpansion = v.picklist(expansions);

export const InquiryQuery = v.object({
  ...PageQuery.entries,
  leadId: v.optional(v.pipe(text(100), v.minLength(1, 'must not be empty'))),
  source: v.optional(InquirySource),
  expand: v.optional(InquiryExpansion),
});
export type InquiryQuery = v.InferOutput<typeof InquiryQuery>;

export const InquiryPage = pageSchema('inquiries', InquiryListItem);

export const words = {
  InquirySource: { is: 'The way that an inquiry came' },
  InquiryLead: { is: 'What a listing says of the lead that an inquiry belongs to', like: 'Lead' },
  InquiryListItem: {
    is: 'An inquiry as a list shows it',
    fields: {
      tag: 'What it is about, in a word or two',
      summary: 'What it is about, in a sentence or two',
      isFirstInquiry: "Whether it is its lead's first",
      isRead: 'Whether a person has read it',
      leadId: 'The lead that it belongs to; stays when the lead is deleted',
      createdAt: 'When it came',
      source: 'The way that it came',
      sourceId: 'The id of `data` in the single read',
      externalInquiryId: 'With `expand` of `external` or `both`: its id in another system, or null',
      lead: 'With `expand` of `lead` or `both`: its lead, or null when that was deleted',
    },
  },
  InquiryPage: { is: 'A page of inquiries', fields: { inquiries: 'The inquiries of this page' } },
  CallDirection: { is: 'Who called whom: a lead the assistant, or the assistant a lead' },
  CallEnder: { is: 'Who ended a call: the lead, the assistant, or the telephone system' },
  Speaker: { is: 'Who said something: the lead, or the assistant' },
  TranscriptEntry: {
    is: 'One turn of a call',
    fields: { created_at: 'When it was said', text: 'What was said', user: 'Who said it' },
  },
  CallData: {
    is: 'The call behind an inquiry',
    fields: {
      summary: 'What was said, in short',
      keyPoints: 'What to remember of it',
      recordingUrl: 'The address of the recording',
      transcripts: 'What was said, turn by turn, oldest first',
      direction: 'Who called whom',
      duration: 'How long it took, in seconds',
      startedAt: 'When it began',
      endedAt: 'When it ended',
      endedBy: 'Who ended it',
    },
  },
  EmailData: {
    is: 'The email behind an inquiry',
    fields: {
      subject: 'Its subject',
      from: 'The address that it came from',
      to: 'The address that it went to',
      body: 'Its text',
      receivedAt: 'When it came',
    },
  },
  ChatbotMessage: {
    is: 'One turn of a chat',
    fields: { user: 'Who wrote it', text: 'What was written', createdAt: 'When it was written' },
  },
  ChatbotData: { is: 'The chat behind an inquiry', fields: { messages: 'What was written, oldest first' } },
  SmsDirection: { is: 'Whether an SMS went to the lead (OUTBOUND) or came from it (INBOUND)' },
  SmsStatus: {
    is:
      'What became of an SMS. SENDING: handed over, outcome not known yet. SENT: the provider took it. FAILED: it was not ' +
      'sent. UNKNOWN: the provider gave no answer. RECEIVED: it came from the lead.',
  },
  SmsMessage: {
    is: 'One SMS of a thread',
    fields: {
      direction: 'Whether it went to the lead or came from it',
      text: 'Its text',
      createdAt: 'When it was sent or came',
      status: 'What became of it',
    },
  },
  SmsData: {
    is: 'The message thread behind an inquiry',
    fields: {
      id: 'The `messageThreadId` of `POST /v1/sms`',
      messages: 'The newest 100 of the thread, oldest first',
    },
  },
  WebformData: {
    is: 'The web form behind an inquiry',
    fields: {
      formName: 'The name of the form',
      fields: 'What was filled in, by the names of the fields',
      submittedAt: 'When it was sent',
    },
  },
  CallInquiry: { is: 'An inquiry that was a call', like: 'Inquiry', fields: { data: 'The call' } },
  EmailInquiry: { is: 'An inquiry that was an email', like: 'Inquiry', fields: { data: 'The email' } },
  ChatbotInquiry: { is: 'An inquiry that was a chat', like: 'Inquiry', fields: { data: 'The chat' } },
  SmsInquiry: { is: 'An inquiry that was a thread of SMS', like: 'Inquiry', fields: { data: 'The thread' } },
  WebformInquiry: { is: 'An inquiry that was a web form', like: 'Inquiry', fields: { data: 'The form' } },
  Inquiry: {
    is: 'An inquiry as it is read by its id: `data` is what its source recorded',
    like: 'InquiryListItem',
  },
  InquiryExpansion: { is: 'What a list adds to each inquiry: its id in another system, its lead, or both' },
  InquiryQuery: {
    is: 'Which inquiries to read',
    like: 'PageQuery',
    fields: {
      leadId: 'Only inquiries of this lead, also of one that was deleted; of an unknown one there are none',
      source: 'Only inquiries that came this way',
      expand: 'Adds `externalInquiryId`, or `lead`, or both, to each item',
    },
  },
} satisfies Words;

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

export const listInquiriesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/inquiries',
  scope: 'read',
  access: 'join',
  summary: 'List inquiries, newest first',
  description: '`leadId`, `source` and `expand` can be combined in any way.',
  params: {},
  query: InquiryQuery,
  responses: { 200: InquiryPage },
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

export const getInquiryEndpoint = endpoint({
  method: 'GET',
  path: '/v1/inquiries/{inquiryId}',
  scope: 'read',
  access: 'list',
  summary: 'Read an inquiry, with what its source recorded',
  description: 'The fields of `data` depend on the `source`.',
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
