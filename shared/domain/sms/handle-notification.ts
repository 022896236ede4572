import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';
import type { Ledger } from '../../ledger/index.ts';
import { readNotification } from './notification.ts';
import { receiveSms, type Listeners } from './receive-sms.ts';
import { reportDelivery } from './report-delivery.ts';
import type { SmsProvider } from './sms-provider.ts';

interface Dependencies extends Listeners {
  /** Finds the organization that has a number; undefined if none does. */
  organizationOf: (number: string) => Promise<OrganizationCode | undefined>;
  /** Opens an organization's ledgers. The deadline of `before` leaves time to send an answer. */
  ledgersOf: (organization: OrganizationCode) => { before: Ledger; after: Ledger };
  provider: SmsProvider;
}

/**
 * Carries out a notification of the provider's topic: an incoming SMS or a delivery report. A repeated notification is
 * stored once. The exception is a STOP or START of a number without a lead, or from before an erasure. No id is stored
 * then, so each repeat is carried out. If such a STOP is repeated after a START, the number is opted out again and gets
 * another answer.
 * @throws Error for an SMS to a number that no organization has. The SMS then becomes a dead letter, and an operator
 * can redrive it once the number is added
 */
export async function handleNotification(
  body: string,
  { organizationOf, ledgersOf, provider, ...listeners }: Dependencies,
): Promise<void> {
  const notification = readNotification(body);
  if (notification === undefined) return;
  if ('received' in notification) {
    const organization = await organizationOf(notification.received.to);
    if (organization === undefined)
      // Errors are logged, so the number is cut. The dead letter has all of it.
      throw new Error(`No organization has the number that ends in ${notification.received.to.slice(-4)}`);
    await receiveSms(ledgersOf(organization), provider, notification.received, listeners);
    return;
  }
  const organization = v.safeParse(OrganizationCode, notification.delivered.organization);
  if (organization.success)
    await reportDelivery(ledgersOf(organization.output).after, notification.delivered);
}
