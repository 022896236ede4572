// Loaded before the first test: virtual time does not wait for the import that code makes during a request.
import 'libphonenumber-js/max';
import { beforeEach, expect, test } from 'vitest';
import { recordEvent } from '../../../shared/domain/events/record-event.ts';
import { listInquiries } from '../../../shared/domain/inquiries/inquiries.ts';
import { addPipeline } from '../../../shared/domain/leads/pipeline-record.ts';
import { receiveSms } from '../../../shared/domain/sms/receive-sms.ts';
import { never } from '../../support/records.ts';
import { acceptingProvider } from '../../support/sms.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

/** A DynamoDB whose indexes are always two seconds behind the table. */
let late: SimulatedLedger;
beforeEach(async () => {
  late = new SimulatedLedger();
  await late.run((ledger) =>
    ledger.found('AU', (write) => {
      addPipeline(write);
      recordEvent(write, { event: 'ORGANIZATION_CREATED', about: 'org' });
    }),
  );
  late.be({ indexLag: [2000, 2000] });
});

test('SMS of one person that come in faster than an index follows are one conversation', async () => {
  const sender = { from: '+61491570156', to: '+61480000100', at: '2026-11-02T13:00:00.000Z' };
  for (const id of ['one', 'two', 'three'])
    await late.run((ledger) =>
      receiveSms(
        { before: ledger, after: ledger },
        { ...acceptingProvider(), from: 'pool' },
        { ...sender, id, text: id, inReplyTo: undefined },
        { report: never, reportSms: never },
      ),
    );
  const { result } = await late.run((ledger) => listInquiries(ledger, { page: 1, limit: 10 }));
  expect(result.items.map(({ source, summary }) => [source, summary])).toEqual([['SMS', 'three']]);
});
