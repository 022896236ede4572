import * as v from 'valibot';
import { hasOneSuburb, twoSuburbs } from './address.ts';
import { filledLine, line, timestampInput, text } from './fields.ts';
import { CallDirection, CallEnder, SmsDirection, Speaker, type InquirySource } from './inquiry-data.ts';
import { NewLead } from './leads.ts';
import { webLinkOrEmpty } from './link.ts';
import { extension, type Descriptions } from './descriptions.ts';

/*
 * Missing values are filled in when the inquiry is stored. Each part of a body fits into one item. With all values that
 * can be filled in, a body of 256 KB stays below DynamoDB's 400 KB.
 */

/** Maximum number of entries of a transcript or a chat. */
const maxTurns = 1000;
/**
 * Maximum number of messages of a new SMS inquiry. Each message is a record, and one transaction stores all of them.
 */
const maxMessages = 50;

/** Field of a response that a body cannot set. If a client sends the field back, the API ignores it. */
const ignored = (...type: string[]) =>
  v.optional(v.pipe(v.unknown(), v.metadata({ type: type.length === 1 ? type[0] : type, readOnly: true })));
const ignoredId = ignored('string');

const turnId = v.optional(line(100));
const turnText = v.optional(text(20_000));

/** One entry in the transcript of a new call. */
export const NewTranscriptEntry = v.strictObject({
  id: turnId,
  created_at: v.optional(timestampInput),
  text: turnText,
  user: v.optional(Speaker),
});

/** Texts by name: the fields of a form, or facts from a call. */
const newFields = v.pipe(v.record(v.pipe(text(200), v.minLength(1)), text(20_000)), v.maxEntries(200));

export const NewCallData = v.strictObject({
  id: ignoredId,
  summary: v.optional(text(10_000)),
  keyPoints: v.optional(v.pipe(v.array(text(1000)), v.maxLength(100))),
  recordingUrl: v.optional(v.pipe(line(2000), webLinkOrEmpty)),
  transcripts: v.optional(v.pipe(v.array(NewTranscriptEntry), v.maxLength(maxTurns))),
  direction: v.optional(CallDirection),
  duration: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(10_000_000))),
  startedAt: v.optional(timestampInput),
  endedAt: v.optional(timestampInput),
  endedBy: v.optional(CallEnder),
  endReason: v.pipe(v.optional(line(200)), v.metadata(extension)),
  fields: v.pipe(v.optional(newFields), v.metadata(extension)),
});

export const NewEmailData = v.strictObject({
  id: ignoredId,
  subject: v.optional(text(1000)),
  from: v.optional(text(1000)),
  to: v.optional(text(10_000)),
  body: v.optional(text(200_000)),
  receivedAt: v.optional(timestampInput),
});

/** One message of a new chat. */
export const NewChatbotMessage = v.strictObject({
  id: turnId,
  user: v.optional(Speaker),
  text: turnText,
  createdAt: v.optional(timestampInput),
});

export const NewChatbotData = v.strictObject({
  id: ignoredId,
  messages: v.optional(v.pipe(v.array(NewChatbotMessage), v.maxLength(maxTurns))),
});

/** One SMS of a new thread. */
export const NewSmsMessage = v.strictObject({
  id: ignoredId,
  direction: v.optional(SmsDirection),
  text: v.optional(text(1600)),
  createdAt: v.optional(timestampInput),
  status: ignored('string'),
});

export const NewSmsData = v.strictObject({
  id: ignoredId,
  messages: v.optional(v.pipe(v.array(NewSmsMessage), v.maxLength(maxMessages))),
});

export const NewWebformData = v.strictObject({
  id: ignoredId,
  formName: v.optional(line(200)),
  fields: v.optional(newFields),
  submittedAt: v.optional(timestampInput),
});

// An inquiry finds its lead only by email or phone number, so a sender has no `externalId`. Anyone can send a form with the
// number of another person, so a sender opts no number out.
const { phone, externalId, isOptedOut, ...leadEntries } = NewLead.entries;

/** Sender of an inquiry. Finds or creates the lead of the inquiry. */
export const InquirySender = v.pipe(
  v.strictObject({ ...leadEntries, phone: v.optional(line(200)) }),
  v.check(
    ({ name, firstName, lastName, email, phone: number }) =>
      Boolean(name || firstName || lastName || email || number),
    'must have a name, an email or a phone',
  ),
  v.forward(v.partialCheck([['suburb'], ['address']], hasOneSuburb, twoSuburbs), ['suburb']),
);
export type InquirySender = v.InferOutput<typeof InquirySender>;

const entriesOf = <S extends InquirySource, D extends v.GenericSchema>(source: S, data: D) => ({
  source: v.literal(source),
  data,
  summary: v.optional(text(2000)),
  tag: v.optional(line(100)),
  isRead: v.optional(v.boolean()),
  externalInquiryId: v.optional(v.nullable(filledLine(200))),
  leadId: v.optional(text(100)),
  lead: v.optional(InquirySender),
});

export const NewCallInquiry = v.strictObject(entriesOf('CALL', NewCallData));
export const NewEmailInquiry = v.strictObject(entriesOf('EMAIL', NewEmailData));
export const NewChatbotInquiry = v.strictObject(entriesOf('CHATBOT', NewChatbotData));
export const NewSmsInquiry = v.strictObject(entriesOf('SMS', NewSmsData));
export const NewWebformInquiry = v.strictObject(entriesOf('WEBFORM', NewWebformData));

/** Body of a new inquiry. */
export const NewInquiry = v.pipe(
  v.variant('source', [NewCallInquiry, NewEmailInquiry, NewChatbotInquiry, NewSmsInquiry, NewWebformInquiry]),
  v.forward(
    v.partialCheck(
      [['leadId'], ['lead']],
      ({ leadId, lead }) => (leadId === undefined) !== (lead === undefined),
      'must be given where there is no leadId, and only there',
    ),
    ['lead'],
  ),
);
export type NewInquiry = v.InferOutput<typeof NewInquiry>;

/** Body of a change of an inquiry. Other fields of an inquiry in a list are allowed; the change does not set them. */
export const InquiryChanges = v.pipe(
  v.strictObject({
    isRead: v.optional(v.boolean()),
    tag: v.optional(line(100)),
    summary: v.optional(text(2000)),
    isFlagged: v.optional(v.boolean()),
    sourceId: ignored('string'),
    externalInquiryId: ignored('string', 'null'),
    lead: ignored('object', 'null'),
  }),
  v.transform(({ lead, ...changes }) => changes),
);
export type InquiryChanges = v.InferOutput<typeof InquiryChanges>;

export const descriptions = {
  NewTranscriptEntry: {
    is: 'One turn of a call that came in',
    like: 'TranscriptEntry',
    fields: {
      id: 'Its id within the call; its place, or another number where that is taken, when not given',
      created_at: 'When it was said; now when not given',
      user: 'Who said it; the lead when not given',
    },
  },
  NewCallData: {
    is: 'A call that came in. Nothing of it is required',
    like: 'CallData',
    fields: {
      direction: 'Who called whom; the lead the assistant when not given',
      duration: 'How long it took, in seconds; the time between its beginning and its end when not given',
      startedAt: 'When it began; counted back from its end when not given',
      endedAt:
        'When it ended; when not given, counted from its beginning where there is a `duration`, else now',
      endedBy: 'Who ended it; the lead when not given',
      endReason: 'Why it ended, in the words of whoever reports it',
    },
  },
  NewEmailData: {
    is: 'An email that came in. Nothing of it is required',
    like: 'EmailData',
    fields: { receivedAt: 'When it came; now when not given' },
  },
  NewChatbotMessage: {
    is: 'One turn of a chat that came in',
    like: 'ChatbotMessage',
    fields: {
      id: 'Its id within the chat; its place, or another number where that is taken, when not given',
      user: 'Who wrote it; the lead when not given',
      createdAt: 'When it was written; now when not given',
    },
  },
  NewChatbotData: {
    is: 'A chat that came in. Nothing of it is required',
    like: 'ChatbotData',
    fields: { messages: 'The messages. Messages are stored in the order of their times' },
  },
  NewSmsMessage: {
    is: 'One SMS of a thread that came in',
    like: 'SmsMessage',
    fields: {
      direction: 'Whether it came from the lead or went to it; INBOUND when not given',
      createdAt: 'When it was sent or came; now when not given',
    },
  },
  NewSmsData: {
    is: 'A thread of SMS that came in. The message is stored; nothing is sent',
    fields: { messages: 'Its messages. Messages are stored in the order of their times' },
  },
  NewWebformData: {
    is: 'A web form that came in. Nothing of it is required',
    like: 'WebformData',
    fields: { submittedAt: 'When it was sent; now when not given' },
  },
  InquirySender: {
    is:
      'Who an inquiry is from: at least a name, an `email` or a `phone`. The lead with this email gets the inquiry, else ' +
      'the lead with this phone number, else a new lead. An existing lead keeps its values, and its empty fields are filled ' +
      'in. It gets no `status`, no phone number of another lead, and no half of a name if the other half differs. It gets ' +
      'an email or a phone number only if the token allows `leads:write`',
    like: 'NewLead',
    fields: {
      phone:
        'A phone number as the caller has it. The first number in the text counts. The inquiry keeps the text as ' +
        '`givenPhone` if it has more than the number, such as `tel:` or a note, or if the lead does not get the number: ' +
        'a hidden or invalid number, or the number of another lead. An email that the lead does not get is kept as ' +
        '`givenEmail`',
      status: 'How far a new lead has come; pending when not given',
    },
  },
  NewCallInquiry: {
    is: 'A call to store',
    like: 'CallInquiry',
    fields: {
      isRead: 'Whether a person has read it; false when not given',
      externalInquiryId:
        'Its id in another system, which no other inquiry has. Sent again, it answers with the inquiry that is there',
      leadId: 'The lead that it belongs to',
      lead: 'Who it is from, where there is no `leadId`',
    },
  },
  NewEmailInquiry: { is: 'An email to store', like: 'NewCallInquiry', fields: { data: 'The email' } },
  NewChatbotInquiry: { is: 'A chat to store', like: 'NewCallInquiry', fields: { data: 'The chat' } },
  NewSmsInquiry: { is: 'A thread of SMS to store', like: 'NewCallInquiry', fields: { data: 'The thread' } },
  NewWebformInquiry: { is: 'A web form to store', like: 'NewCallInquiry', fields: { data: 'The form' } },
  NewInquiry: {
    is:
      'The body to store an inquiry: its `data` depends on the `source`. `leadId` names the lead, or `lead` describes ' +
      'the sender',
  },
  InquiryChanges: {
    is: 'The body to change an inquiry: any of its fields',
    like: 'CallInquiry',
    fields: { data: 'The record of its source' },
  },
} satisfies Descriptions;
