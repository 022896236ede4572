import { sendSms } from '../../../shared/domain/sms/sms.ts';
import { never } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  sendSms: {
    // The organization's record says which number sends. The provider's id is a unique value. The lead is
    // written twice: it gets the inquiry with the message, and the activity with the outcome. A SENDING
    // message is in the index of due records: one unit to put it there, one to take it out.
    cost: [4, 10, 41],
    run: (ledger, { userId, leadId }, later) =>
      sendSms(
        { before: ledger, after: later },
        {
          send: ({ context }) =>
            Promise.resolve({ status: 'SENT', providerId: `provider-${context['message']}` }),
          from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
        },
        { userId, leadId, message: 'On our way' },
        never,
      ),
    request: ({ userId, leadId }, n) => ({ body: { userId, leadId, message: `On our way, ${n}` } }),
  },
};
