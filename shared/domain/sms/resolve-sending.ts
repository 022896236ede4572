import { Failure } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import type { System } from '../../core/system.ts';
import type { DueRecord, Ledger } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { messages } from '../threads/threads.ts';

type DueMessage = DueRecord<typeof messages>;

/** Milliseconds that one message may take, so that a busy organization does not hold up the others. */
const timePerMessage = 5000;

interface Run {
  system: Pick<System, 'now'>;
  /** Time when the run stops, in epoch milliseconds. */
  deadline: number;
  report: (error: unknown) => void;
}

/**
 * Marks messages that are still SENDING as UNKNOWN, because their sender can no longer report an outcome. Each message
 * is one write, so a run can stop or be repeated at any point. A message that cannot be stored is reported and stays
 * due. So do messages that time does not reach, and the other messages of an organization that is too busy.
 *
 * @param due messages that were handed over longer ago than sending can take
 * @param ledgerOf opens an organization's ledger until a deadline, in epoch milliseconds
 * @returns number of messages that were resolved
 */
export async function resolveSending(
  due: AsyncIterable<DueMessage>,
  ledgerOf: (organization: OrganizationCode, deadline: number) => Ledger,
  { system, deadline, report }: Run,
): Promise<number> {
  let resolved = 0;
  /** Organizations that are too busy for a write; they must not take the time of the others. */
  const busy = new Set<OrganizationCode>();
  for await (const { organization, ref } of due) {
    if (busy.has(organization)) continue;
    const end = system.now() + timePerMessage;
    if (end > deadline) break;
    try {
      if (await resolve(ledgerOf(organization, end), ref)) resolved++;
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable') busy.add(organization);
      report(error);
    }
  }
  return resolved;
}

/** Returns true if the message was still SENDING. */
function resolve(ledger: Ledger, ref: DueMessage['ref']): Promise<boolean> {
  return ledger.write({ change: { message: { ref, mayBeAbsent: true } } }, (write, { message }) => {
    // The index of due records can lag.
    if (message?.status !== 'SENDING') return false;
    write.replace(ref, merge(message, { status: 'UNKNOWN' }));
    recordEvent(write, { event: 'SMS_UNKNOWN', about: message.inquiryId });
    return true;
  });
}
