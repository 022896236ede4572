import { isDeepStrictEqual } from 'node:util';
import type { Lead } from '../../contract/leads.ts';
import { unavailable } from '../../core/failure.ts';
import type { Ledger, RecordOf, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { readLead } from '../leads/lead-change.ts';
import { contactsNotOf, detailsOf, type Sender } from '../leads/sender.ts';
import { inquiries, toFields } from './inquiry-record.ts';
import type { calls, forms } from './sources.ts';

/**
 * Stores a report that may be about a stored inquiry. `store` returns false if the inquiry was erased after its id was
 * read. Then `store` is called again.
 * @throws Failure `unavailable` if this happens three times
 */
export async function untilStored(store: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3; tries++) if (await store()) return;
  throw unavailable();
}

/** Later report of a stored inquiry. */
export interface LaterReport<C extends typeof calls | typeof forms> {
  /** Collection of the inquiry's data. */
  collection: C;
  /**
   * Returns the data with additions from the report; equal data if the report has nothing new. The lead is undefined if
   * it was deleted.
   */
  dataWith: (known: RecordOf<C>, lead: Lead | undefined) => RecordOf<C>;
  /** Returns the summary with the report, unless a client has set the summary. */
  summaryAfter: (before: string) => string;
  /** Person who sent the report. Email and phone number of the lead do not change. */
  sender: Sender;
}

/**
 * Fills in what an inquiry and its lead lack, as part of a write. Existing values stay. If the data gets additions, an
 * inquiry that was marked as read becomes unread, so that somebody sees them. Writes nothing for a report that has
 * nothing new.
 * @returns 'gone' if the inquiry does not exist
 */
export async function fillInquiry<C extends typeof calls | typeof forms>(
  ledger: Ledger,
  write: Write,
  inquiryId: string,
  { collection, dataWith, summaryAfter, sender }: LaterReport<C>,
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
    summary: before.isSummaryGiven ? before.summary : summaryAfter(before.summary),
    ...(!before.givenEmail && givenEmail !== '' && { givenEmail }),
    givenPhone: before.givenPhone || givenPhone,
    isRead: before.isRead && !hasMore,
  };
  const isLeadFilled = (await lead?.fillIn(detailsOf(sender))) ?? false;
  if (!hasMore && isDeepStrictEqual(after, before)) return isLeadFilled ? 'filled' : 'unchanged';
  if (hasMore) write.replace(dataRef, data);
  write.replace(ref, { ...after, updatedAt: write.now });
  const fields = [...changedFields(toFields(before), toFields(after)), ...(hasMore ? ['data'] : [])];
  if (before.isRead && hasMore) lead?.countRead(before.source, false);
  recordEvent(write, { event: 'INQUIRY_UPDATED', about: inquiryId, fields });
  return 'filled';
}
