import { deepStrictEqual } from 'node:assert';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { listInquiries } from '../../../shared/domain/inquiries/inquiries.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import type { Ledger, Store } from '../../../shared/ledger/index.ts';
import { limits } from '../../support/stored-organization.ts';
import { eventually } from '../../support/patience.ts';
import type { AwsCalls } from './aws-calls.ts';
import { region } from './emulator.ts';

/** Number of the organization. */
export const number = '+61480012345';
/** Number of the first lead. */
export const from = '+61491570156';

/** Ledger of the organization, for a few seconds. */
export const ledgerOf = (store: Store, organization: OrganizationCode): Ledger =>
  store.ledgerOf({ organization, userId: 'system', ...limits() });

interface IncomingText {
  from: string;
  text: string;
  id: string;
}

/** Message of a number of the account about an SMS that came in. */
export const notification = ({ from, text, id }: IncomingText): string =>
  JSON.stringify({
    originationNumber: from,
    destinationNumber: number,
    messageKeyword: 'KEYWORD',
    messageBody: text,
    inboundMessageId: id,
  });

/** Publishes an incoming SMS to the topic, as a number of the account would. There is no SMS provider here. */
export async function publishText(aws: AwsCalls, topic: string, text: IncomingText): Promise<void> {
  const publish = { Action: 'Publish', Version: '2010-03-31', TopicArn: topic };
  await aws.query('sns', { ...publish, Message: notification(text) }, 'MessageId');
}

/**
 * Proves that the worker behind the topic's queue stores an incoming SMS. So policies and roles allow all of
 * that, because the emulator enforces them. @throws Error
 */
export async function checkReceivedText(
  aws: AwsCalls,
  store: Store,
  { topic, organization }: { topic: string; organization: OrganizationCode },
): Promise<void> {
  const ledger = () => ledgerOf(store, organization);
  await addNumber(ledger(), {
    number,
    arn: `arn:aws:sms-voice:${region}:000000000000:phone-number/phone-1`,
  });
  const text = { from, text: 'Is anyone there?', id: 'in-1' };
  // Published twice, as the provider may do.
  await publishText(aws, topic, text);
  await publishText(aws, topic, text);
  const { id: leadId } = await leadOf(ledger, from);
  const { items } = await listInquiries(ledger(), { page: 1, limit: 10, leadId });
  deepStrictEqual(
    items.map(({ source, isRead }) => ({ source, isRead })),
    [{ source: 'SMS', isRead: false }],
  );
}

/** Waits for the lead with a number, which may have to be in a state. */
export const leadOf = (ledger: () => Ledger, phone: string, isOptedOut?: true) =>
  eventually(
    async () =>
      (await listLeads(ledger(), { page: 1, limit: 1, phone })).items.find(
        (lead) => isOptedOut === undefined || lead.isOptedOut,
      ),
    () => `No lead has the number ${phone}${isOptedOut ? ' and has opted out' : ''}, though its text came.`,
  );
