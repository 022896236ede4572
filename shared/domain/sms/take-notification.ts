import * as v from 'valibot';
import { OrganizationCode } from '../../core/ids.ts';
import type { Ledger } from '../../ledger/index.ts';
import { readNotification } from './notification.ts';
import { receiveSms, type Listeners } from './receive-sms.ts';
import { reportDelivery } from './report-delivery.ts';
import type { SmsProvider } from './sms-provider.ts';

/** What a notification is carried out with. */
interface Dependencies extends Listeners {
  /** The organization that has a number; undefined if none does. */
  organizationOf: (number: string) => Promise<OrganizationCode | undefined>;
  /** Opens an organization's ledger: `before` for what must leave the time to send an answer. */
  ledgersOf: (organization: OrganizationCode) => { before: Ledger; after: Ledger };
  provider: SmsProvider;
}

/**
 * Carries out what the provider tells by a topic: a text that came in, or a report of delivery. Any number of times
 * for the same, it is stored once; but a STOP or START of a number without a lead is stored by no id, so each time does
 * what it says: such a STOP that comes again after a START opts out again, and is answered again.
 * @throws Error for a text to a number that no organization has, so that it becomes a dead letter: an operator can
 * redrive it once the number is added
 */
export async function takeNotification(
  body: string,
  { organizationOf, ledgersOf, provider, ...listeners }: Dependencies,
): Promise<void> {
  const notification = readNotification(body);
  if (notification === undefined) return;
  if ('received' in notification) {
    const organization = await organizationOf(notification.received.to);
    if (organization === undefined)
      // Not all of it, since errors are logged: the dead letter has it.
      throw new Error(`No organization has the number that ends in ${notification.received.to.slice(-4)}`);
    await receiveSms(ledgersOf(organization), provider, notification.received, listeners);
    return;
  }
  const organization = v.safeParse(OrganizationCode, notification.delivered.organization);
  if (organization.success)
    await reportDelivery(ledgersOf(organization.output).after, notification.delivered);
}
