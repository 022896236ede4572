import { sendSms } from '../../../shared/domain/sms/sms.ts';
import { never } from './samples.ts';
import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  sendSms: {
    // As long as it is SENDING, the message is in the index of what is due: a unit to put it there, and one to take it out.
    cost: [4, 7, 32],
    run: (ledger, { userId, leadId }, later) =>
      sendSms(
        { before: ledger, after: later },
        () => Promise.resolve({ status: 'SENT', providerId: '1' }),
        { userId, leadId, message: 'On our way' },
        never,
      ),
    request: ({ userId, leadId }, n) => ({ body: { userId, leadId, message: `On our way, ${n}` } }),
  },
};
