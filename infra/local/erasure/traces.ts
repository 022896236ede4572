import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { type Notification, readNotification } from '../../../shared/domain/sms/notification.ts';
import { messages } from '../../../shared/domain/threads/threads.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { writeAtomically } from '../files.ts';

export interface ErasedLead {
  /** Ledger of the lead's organization. */
  ledger: Ledger;
  /** Phone numbers known to be the person's, in the form that `comparableNumber` returns. */
  numbers: ReadonlySet<string>;
  /**
   * True if no lead of the organization has the number now. A person who writes again after an erasure is a
   * new lead.
   */
  belongsToNoLead: (number: string) => Promise<boolean>;
}

/** A holder of topics' messages: queues, or dead letters. */
export interface MessageHolder {
  readonly bodies: readonly string[];
  remove: (bodies: ReadonlySet<string>) => void;
}

/**
 * Removes pending notifications about an erased lead. Notifications are SMS to the organization from a number
 * of the person, and delivery reports of messages that are no longer stored.
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

/** A line of the file of SMS sent. */
const SentSmsLine = v.object({
  to: v.string(),
  context: v.object({ organization: v.string(), message: v.optional(v.string()) }),
});

/** Records per read. */
const perRead = 100;

/**
 * Removes an erased lead's SMS from the file of SMS sent. An SMS is removed if its message is no longer
 * stored. An SMS without a message, such as the answer to a stranger's STOP, is removed if no lead has the
 * number. Returns the numbers that received the removed SMS, in comparable form.
 */
export async function removeSentSms(file: string, erased: ErasedLead): Promise<Set<string>> {
  const gone = new Map<string, string>();
  const sent = linesOf(file).flatMap((line) => {
    const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), SentSmsLine), line);
    return success ? [{ line, ...output }] : [];
  });
  const ours = sent.filter(({ context }) => context.organization === erased.ledger.organization);
  const stored = await storedOf(
    ours.flatMap(({ context }) => context.message ?? []),
    erased,
  );
  for (const { line, to, context } of ours) {
    const { message } = context;
    if (message === undefined ? await erased.belongsToNoLead(to) : !stored.has(Number(message)))
      gone.set(line, to);
  }
  // Read again, because SMS may have been sent meanwhile.
  const stay = linesOf(file).filter((line) => !gone.has(line));
  if (gone.size > 0) writeAtomically(file, stay.map((line) => `${line}\n`).join(''));
  return new Set(gone.values().map(comparableNumber));
}

const linesOf = (file: string) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** Numbers of the given messages that are stored. */
async function storedOf(numbers: readonly string[], { ledger }: ErasedLead): Promise<Set<number>> {
  const stored = new Set<number>();
  for (let at = 0; at < numbers.length; at += perRead) {
    const found = await ledger.getMany(messages, numbers.slice(at, at + perRead).map(Number));
    for (const number of found.keys()) stored.add(number);
  }
  return stored;
}
