import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { filledText, numberInPath, recordNumber, text } from './fields.ts';

export const about = 'SMS to leads';

/** What a client sends to send an SMS. An id of anything else is one that names nothing. */
export const NewSms = v.strictObject({
  userId: v.pipe(text(100), v.description('Who it is from: the `user.id` of a member')),
  leadId: v.pipe(text(100), v.description('Who it goes to')),
  message: v.pipe(filledText(1600), v.description('The text')),
  messageThreadId: v.optional(
    v.pipe(
      v.union([recordNumber, numberInPath], 'must be the id of a message thread'),
      v.description(
        'The thread with the lead that it continues; without one, it begins a thread and an inquiry',
      ),
    ),
  ),
});
export type NewSms = v.InferOutput<typeof NewSms>;

export const sendSms = endpoint({
  method: 'POST',
  path: '/v1/sms',
  scope: 'write',
  access: 'write',
  uses: 'sms',
  summary: 'Send an SMS to a lead',
  description:
    "It is stored first, and sent once at most. `GET /v1/inquiries/{inquiryId}` of the thread's inquiry shows what became " +
    'of it. When it cannot be sent as asked, since the lead has no phone number, the answer is a 400, and when the ' +
    'provider refused it or gave no answer, a 502, both with a `message` alone.',
  params: {},
  body: NewSms,
  responses: { 201: v.strictObject({ message: v.literal('SMS sent successfully') }) },
  errors: [404],
  bareErrors: [400, 502],
  example: {
    body: {
      userId: 'user_6H8EV88000000001',
      leadId: 'lead_6H8EV88000000005',
      message: 'Hi Sofia, we can be there at 3 pm. Mia, Harbour Plumbing',
    },
    response: { message: 'SMS sent successfully' },
  },
});
