import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledText, numberInPath, recordId, recordNumber, text } from './fields.ts';
import { extension, type Descriptions } from './descriptions.ts';
import { worker } from './worker.ts';

export const tagDescription = 'SMS to leads';

export const MessageThreadId = v.union([recordNumber, numberInPath], 'must be the id of a message thread');

/** Body of an SMS. A malformed id and an unknown id get the same answer. */
export const NewSms = v.strictObject({
  userId: v.optional(text(100)),
  leadId: text(100),
  message: filledText(1600),
  messageThreadId: v.optional(MessageThreadId),
});
export type NewSms = v.InferOutput<typeof NewSms>;

const sentId = v.pipe(v.string(), v.metadata(extension));

/** Response for an SMS that was sent. */
export const SentSms = v.strictObject({
  message: v.literal('SMS sent successfully'),
  messageId: sentId,
  messageThreadId: sentId,
  inquiryId: v.pipe(recordId('inquiry'), v.metadata(extension)),
});

export const descriptions = {
  MessageThreadId: { is: 'The id of a message thread, as a number or its digits' },
  NewSms: {
    is: 'The body to send an SMS',
    fields: {
      userId: 'Who it is from: the `user.id` of a member; the user of the token when not given',
      leadId: 'Who it goes to',
      message: 'The text',
      messageThreadId:
        'The thread with the lead that it continues; without one, it begins a thread and an inquiry',
    },
  },
  SentSms: {
    is: 'An SMS that was sent',
    fields: {
      message: 'Always the same sentence',
      messageId: 'The id of the message in its thread',
      messageThreadId: 'The thread that it is in',
      inquiryId: 'The inquiry that shows the thread',
    },
  },
} satisfies Descriptions;

export const sendSmsEndpoint = endpoint({
  method: 'POST',
  path: '/v1/sms',
  scope: 'sms:create',
  access: 'put',
  uses: 'sms',
  summary: 'Send an SMS to a lead',
  description:
    "The message is stored first, and sent once at most. `GET /v1/inquiries/{inquiryId}` of the thread's inquiry shows what " +
    'became of it. If the lead has no phone number or has opted out, the answer is a 400. If the provider refused the ' +
    'message, could not be reached or gave no answer, the answer is a 502. Both have a `message` alone, and the header ' +
    '`X-Failure-Reason`.',
  params: {},
  body: NewSms,
  responses: { 201: SentSms },
  errors: [404],
  bareErrors: [400, 502],
  example: {
    body: {
      userId: 'user_6H8EV88000000001',
      leadId: 'lead_6H8EV88000000005',
      message: 'Hi Sofia, we can be there at 3 pm. Mia, Harbour Plumbing',
    },
    response: {
      message: 'SMS sent successfully',
      messageId: '12',
      messageThreadId: '3',
      inquiryId: 'inquiry_6H8EV88000000007',
    },
  },
});

export const receiveTextsWorker = worker({
  name: 'receive-texts',
  summary: "Stores each SMS that comes in, and the provider's reports about sent SMS",
  breaks:
    'Until it runs again, SMS that come in are not shown, STOP is not heeded, and SENT does not become DELIVERED. All wait in ' +
    'its queue.',
  on: { queue: { maxConcurrency: 5, isBehindTopic: true } },
  access: ['GetItem number', 'PutItem', 'UpdateItem', 'DeleteItem'],
  uses: 'sms',
  bringsLeads: true,
  timeoutSeconds: 30,
  retries: 5,
  deadLetters: { keptDays: 14 },
});

export const resolveSendingWorker = worker({
  name: 'resolve-sending',
  summary: 'Ends the wait for what became of an SMS, an hour after it was handed over',
  breaks: 'Until it runs again, an SMS with a lost outcome is shown as SENDING instead of UNKNOWN.',
  on: { schedule: { everyMinutes: 5 } },
  access: ['GetItem', 'Query due', 'PutItem'],
  timeoutSeconds: 60,
  retries: 2,
  deadLetters: { keptDays: 14 },
});
