import { isDeepStrictEqual } from 'node:util';
import type { Lead } from '../../contract/leads.ts';
import { unavailable } from '../../core/failure.ts';
import type { Ledger, RecordOf, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readLead } from '../leads/lead-change.ts';
import { contactsNotOf, detailsOf, type Sender } from '../leads/sender.ts';
import { inquiries } from './inquiry-record.ts';
import type { calls, forms } from './sources.ts';

/**
 * Stores a report that may be about an inquiry that is there already. `store` returns false if that is gone since it was found: an
 * inquiry can be erased between the read of its id and its own.
 * @throws Failure `unavailable` if that happens again and again
 */
export async function untilStored(store: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3; tries++) if (await store()) return;
  throw unavailable();
}

/** Report of an inquiry that is there already. */
export interface LaterReport<C extends typeof calls | typeof forms> {
  /** Collection of the inquiry's data. */
  collection: C;
  /** The data with what it lacks; an equal one if the report has nothing new. The lead is undefined if it was deleted. */
  dataWith: (known: RecordOf<C>, lead: Lead | undefined) => RecordOf<C>;
  summary: string;
  /** Person whom it is from. Email and phone number of the lead stay as they are. */
  sender: Sender;
}

/**
 * Fills in what an inquiry and its lead lack, as part of a write; what is there stays. An inquiry that was marked as read is
 * unread again if its data has become more: else nobody would see it. Writes nothing for a report that has nothing new.
 * @returns 'gone' if the inquiry is not there
 */
export async function fillInquiry<C extends typeof calls | typeof forms>(
  ledger: Ledger,
  write: Write,
  inquiryId: string,
  { collection, dataWith, summary, sender }: LaterReport<C>,
): Promise<'filled' | 'unchanged' | 'gone'> {
  const ref = ledger.ref(inquiries, inquiryId);
  const before = await write.read(ref, { mayStayUnchanged: true });
  if (!before) return 'gone';
  const dataRef = ledger.ref(collection, before.sourceId);
  const [known, lead] = await Promise.all([
    write.read(dataRef, { mayStayUnchanged: true }),
    readLead(ledger, write, before.leadId),
  ]);
  if (!known) return 'gone';
  const data = dataWith(known, lead?.before);
  const hasMore = !isDeepStrictEqual(data, known);
  const { givenEmail, givenPhone } = contactsNotOf(lead ?? { email: '', phone: '' }, sender);
  const after = {
    ...before,
    summary: before.summary === '' && !before.isSummaryGiven ? summary : before.summary,
    ...(!before.givenEmail && givenEmail !== '' && { givenEmail }),
    givenPhone: before.givenPhone || givenPhone,
    isRead: before.isRead && !hasMore,
  };
  const isLeadFilled = (await lead?.fillIn(detailsOf(sender))) ?? false;
  if (!hasMore && isDeepStrictEqual(after, before)) return isLeadFilled ? 'filled' : 'unchanged';
  if (hasMore) write.replace(dataRef, data);
  write.replace(ref, { ...after, updatedAt: write.now });
  if (before.isRead && hasMore) lead?.countRead(before.source, false);
  recordEvent(write, { event: 'INQUIRY_UPDATED', about: inquiryId });
  return 'filled';
}
