import * as v from 'valibot';
import { recordId, timestamp } from './fields.ts';
import { extension, type Descriptions } from './descriptions.ts';

export const inquirySources = ['CALL', 'EMAIL', 'CHATBOT', 'SMS', 'WEBFORM'] as const;
export const InquirySource = v.picklist(inquirySources);
export type InquirySource = (typeof inquirySources)[number];

export const CallDirection = v.picklist(['LEAD_TO_AI', 'AI_TO_LEAD']);
export const CallEnder = v.picklist(['user', 'assistant', 'system']);
export const Speaker = v.picklist(['user', 'assistant']);

/** One entry in the transcript of a call. */
export const TranscriptEntry = v.strictObject({
  id: v.string(),
  created_at: v.string(),
  text: v.string(),
  user: Speaker,
});

/** The call behind an inquiry: docs/reference/inquiries.md. */
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
  endReason: v.pipe(v.string(), v.metadata(extension)),
  fields: v.pipe(v.record(v.string(), v.string()), v.metadata(extension)),
});
export type CallData = v.InferOutput<typeof CallData>;

/** The email behind an inquiry. */
export const EmailData = v.strictObject({
  id: recordId('email'),
  subject: v.string(),
  from: v.string(),
  to: v.string(),
  body: v.string(),
  receivedAt: timestamp,
});

/** One message of a chat. */
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
/**
 * States of an SMS. SENDING: handed over, no result yet. UNKNOWN: perhaps sent, because the provider gave no answer or
 * the result was lost.
 */
export const smsStatuses = [
  'SENDING',
  'SENT',
  'DELIVERED',
  'UNDELIVERED',
  'FAILED',
  'UNKNOWN',
  'RECEIVED',
] as const;
export const SmsStatus = v.picklist(smsStatuses);

/** One SMS of a thread. */
export const SmsMessage = v.strictObject({
  id: v.string(),
  direction: SmsDirection,
  text: v.string(),
  createdAt: timestamp,
  status: v.pipe(SmsStatus, v.metadata(extension)),
});

/**
 * Maximum number of messages in an inquiry that is read by its id. The newest messages of the thread are shown.
 */
export const shownMessages = 100;

/**
 * Maximum size of these messages in a response, in bytes. A function's response has at most 6 MB, and the rest of an
 * inquiry needs room, too.
 */
export const shownBytes = 5 * 1024 * 1024;

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
export type WebformData = v.InferOutput<typeof WebformData>;

export const descriptions = {
  InquirySource: { is: 'The way that an inquiry came' },
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
      summary: 'A short summary of the call',
      keyPoints: 'The main points',
      recordingUrl: 'The address of the recording: a link that begins with `https://` or `http://`, or empty',
      transcripts: 'The turns of the call, oldest first',
      direction: 'Who called whom',
      duration: 'How long it took, in seconds',
      startedAt: 'When it began',
      endedAt: 'When it ended',
      endedBy: 'Who ended it',
      endReason: 'Why it ended, in the words of the voice platform',
      fields: 'The findings of the call, by name, such as the structured data of a voice platform',
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
  ChatbotData: { is: 'The chat behind an inquiry', fields: { messages: 'The messages, oldest first' } },
  SmsDirection: { is: 'Whether an SMS went to the lead (OUTBOUND) or came from it (INBOUND)' },
  SmsStatus: {
    is:
      'The outcome of an SMS. SENDING: handed over, outcome not known yet. SENT: the provider took it. DELIVERED: the carrier ' +
      'reports that it arrived. UNDELIVERED: the provider or the carrier reports that it did not. FAILED: it was not sent. ' +
      'UNKNOWN: the provider gave no answer. RECEIVED: it came from the lead.',
  },
  SmsMessage: {
    is: 'One SMS of a thread',
    fields: {
      direction: 'Whether it went to the lead or came from it',
      text: 'Its text',
      createdAt: 'When it was sent or came',
      status: 'The outcome of the message',
    },
  },
  SmsData: {
    is: 'The message thread behind an inquiry',
    fields: {
      id: 'The `messageThreadId` of `POST /v1/sms`',
      messages: 'The newest 100 of the thread, oldest first; fewer where that many take more than 5 MB',
    },
  },
  WebformData: {
    is: 'The web form behind an inquiry',
    fields: {
      formName: 'The name of the form',
      fields: 'The filled fields, by name',
      submittedAt: 'When it was sent',
    },
  },
} satisfies Descriptions;
