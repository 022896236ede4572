import { created } from '../../shared/contract/endpoint.ts';
import { sendSmsEndpoint } from '../../shared/contract/sms.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { smsLedgers } from '../../shared/http/sms-ledgers.ts';
import { smsProvider } from '../../shared/http/outside/sms-provider.ts';
import { readSent, sendSms } from '../../shared/domain/sms/sms.ts';

const message = 'SMS sent successfully';

export const handler = serve(
  sendSmsEndpoint,
  async ({ body, principal, report }) => {
    const sms = { ...body, userId: body.userId ?? principal.userId };
    const sent = await sendSms(smsLedgers(ledgerOf, principal), smsProvider, sms, report);
    return created({ message, ...sent });
  },
  once(async ({ ledger }) => created({ message, ...(await readSent(ledger)) })),
);
