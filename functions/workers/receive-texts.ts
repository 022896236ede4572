import { receiveTextsWorker } from '../../shared/contract/sms.ts';
import { takeNotification } from '../../shared/domain/sms/take-notification.ts';
import { ledgerOf, organizationOfNumber } from '../../shared/http/table.ts';
import { textLedgers } from '../../shared/http/text-ledgers.ts';
import { texting } from '../../shared/http/text-sender.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(receiveTextsWorker, async ({ event, deadline, capacity, report, noteText }) => {
  for (const { body } of event.Records) {
    await takeNotification(body, {
      organizationOf: (number) => organizationOfNumber(number, { deadline, capacity }),
      ledgersOf: (organization) =>
        textLedgers(ledgerOf, { organization, userId: 'system', deadline, capacity }),
      texting,
      report,
      noteText,
    });
  }
  return event.Records.length;
});
