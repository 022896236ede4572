import { created } from '../../shared/contract/endpoint.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import { smsLedgers } from '../../shared/http/sms-ledgers.ts';
import { smsProvider } from '../../shared/http/sms-provider.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';

export const handler = serve(sendSmsEndpoint, async ({ body, caller, report }) => {
  const sent = await sendSms(smsLedgers(ledgerOf, caller), smsProvider, body, report);
  return created({ message: 'SMS sent successfully', ...sent });
});
