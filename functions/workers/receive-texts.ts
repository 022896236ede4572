import { receiveTextsWorker } from '../../shared/contract/sms.ts';
import { handleNotification } from '../../shared/domain/sms/handle-notification.ts';
import { ledgerOf, organizationOfPhoneNumber } from '../../shared/http/outside/table.ts';
import { smsLedgers } from '../../shared/http/sms-ledgers.ts';
import { smsProvider } from '../../shared/http/outside/sms-provider.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(
  receiveTextsWorker,
  async ({ event, reach, deadline, capacity, report, reportSms }) => {
    for (const { body } of event.Records) {
      await handleNotification(body, {
        organizationOf: (number) => organizationOfPhoneNumber(number, { deadline, capacity }),
        ledgersOf: (organization) =>
          smsLedgers(ledgerOf, { organization, userId: 'system', reach, deadline, capacity }),
        provider: smsProvider,
        report,
        reportSms,
      });
    }
    return event.Records.length;
  },
);
