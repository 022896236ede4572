import { created } from '../../shared/contract/endpoint.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { sendText } from '../../shared/http/text-sender.ts';
import { timeToSend } from '../../shared/domain/sms/send-text.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';

/** Time reserved to store the outcome of the SMS, in milliseconds. */
const timeToRecord = 1000;

export const handler = serve(sendSmsEndpoint, async ({ body, caller, report }) => {
  const before = ledgerOf({ ...caller, deadline: caller.deadline - timeToSend - timeToRecord });
  const sent = await sendSms({ before, after: ledgerOf(caller) }, sendText, body, report);
  return created({ message: 'SMS sent successfully', ...sent });
});
