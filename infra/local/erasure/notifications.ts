import { messages } from '../../../shared/domain/threads/threads.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { readNotification, type Notification } from '../../../shared/domain/sms/notification.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { ErasedLead } from './erased-lead.ts';

/** A holder of topics' messages: queues, or dead letters. */
export interface MessageHolder {
  readonly bodies: readonly string[];
  remove: (bodies: ReadonlySet<string>) => void;
}

/**
 * Removes pending notifications about an erased lead: SMS to the organization from a number of the person,
 * and delivery reports of messages that are no longer stored.
 */
export async function removeNotifications(
  holders: readonly MessageHolder[],
  erased: ErasedLead,
  organizationOf: (number: string) => Promise<OrganizationCode | undefined>,
): Promise<void> {
  const gone = new Set<string>();
  for (const body of new Set(holders.flatMap(({ bodies }) => bodies)))
    if (await isGone(read(body), erased, organizationOf)) gone.add(body);
  if (gone.size > 0) for (const holder of holders) holder.remove(gone);
}

async function isGone(
  notification: Notification,
  { ledger, numbers, belongsToNoLead }: ErasedLead,
  organizationOf: (number: string) => Promise<OrganizationCode | undefined>,
): Promise<boolean> {
  if (!notification) return false;
  if ('received' in notification) {
    const { from, to } = notification.received;
    const isErased = numbers.has(comparableNumber(from));
    return isErased && (await organizationOf(to)) === ledger.organization && (await belongsToNoLead(from));
  }
  const { organization, message } = notification.delivered;
  if (organization !== ledger.organization) return false;
  const ref = ledger.tryRef(messages, message);
  return !ref || (await ledger.getOrUndefined(ref)) === undefined;
}

/** Undefined for a message that is neither an SMS nor a delivery report. */
function read(body: string): Notification {
  try {
    return readNotification(body);
  } catch {
    return undefined;
  }
}
