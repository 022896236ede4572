import { deepStrictEqual } from 'node:assert';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { listInquiries } from '../../../shared/domain/inquiries/inquiries.ts';
import { listLeads } from '../../../shared/domain/leads/leads.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import type { Ledger, Store } from '../../../shared/ledger/index.ts';
import { limits } from '../../support/stored-organization.ts';
import { eventually } from '../../support/patience.ts';
import type { AwsCalls } from './aws-calls.ts';
import { region } from './emulator.ts';

const number = '+61480012345';
const from = '+61491570156';

/**
 * Proves that the worker behind the topic's queue stores an incoming SMS. So policies and roles allow all of
 * that, because the emulator enforces them. There is no SMS provider here: the check publishes the
 * notification itself. @throws Error
 */
export async function checkReceivedText(
  aws: AwsCalls,
  store: Store,
  { topic, organization }: { topic: string; organization: OrganizationCode },
): Promise<void> {
  const ledger = () => store.ledgerOf({ organization, userId: 'system', ...limits() });
  await addNumber(ledger(), {
    number,
    arn: `arn:aws:sms-voice:${region}:000000000000:phone-number/phone-1`,
  });
  const message = {
    originationNumber: from,
    destinationNumber: number,
    messageKeyword: 'KEYWORD',
    messageBody: 'Is anyone there?',
    inboundMessageId: 'in-1',
  };
  const publish = { Action: 'Publish', Version: '2010-03-31', TopicArn: topic };
  const tell = () => aws.query('sns', { ...publish, Message: JSON.stringify(message) }, 'MessageId');
  // Published twice, as the provider may do.
  await tell();
  await tell();
  const leadId = await leadOf(ledger);
  const { items } = await listInquiries(ledger(), { page: 1, limit: 10, leadId });
  deepStrictEqual(
    items.map(({ source, isRead }) => ({ source, isRead })),
    [{ source: 'SMS', isRead: false }],
  );
}

/** Waits for the lead of the sender. */
const leadOf = (ledger: () => Ledger): Promise<string> =>
  eventually(
    async () => (await listLeads(ledger(), { page: 1, limit: 1, phone: from })).items[0]?.id,
    () => `No lead has the number ${from}, though its text came.`,
  );
