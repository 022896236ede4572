import { created } from '../../shared/contract/endpoint.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { textLedgers } from '../../shared/http/text-ledgers.ts';
import { texting } from '../../shared/http/text-sender.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';

export const handler = serve(sendSmsEndpoint, async ({ body, caller, report }) => {
  const sent = await sendSms(textLedgers(ledgerOf, caller), texting, body, report);
  return created({ message: 'SMS sent successfully', ...sent });
});
