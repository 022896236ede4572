import { Failure, notFound } from '../../core/failure.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { inquiries } from '../inquiries/inquiry-record.ts';
import { removeInquiry } from '../inquiries/remove-inquiry.ts';
import { leads } from '../leads/lead-record.ts';
import { leadRef, removeLead } from '../leads/leads.ts';
import { pipelineRead } from '../leads/pipeline-record.ts';
import { removeMessages } from '../threads/remove-messages.ts';
import { nextErasureStep } from './erasure-step.ts';

/** Number of transactions that one request runs at most, after the one that removes the lead. */
const maxSteps = 10;

/**
 * Erases a person: the lead, unless it was deleted before, then its inquiries, the data of their sources, and
 * its messages. Each step is one transaction and leaves every list consistent, so the erasure can stop at any
 * step and be requested again. Of two erasures at once, only one removes each record. An inquiry that the
 * person sends meanwhile creates a new lead.
 *
 * @returns true if everything is gone; false if the request has run `maxSteps` transactions or out of time
 * @throws Failure `notFound` if there never was such a lead; `unavailable` if nothing was stored before time
 * ran out
 */
export async function eraseLead(ledger: Ledger, leadId: string): Promise<boolean> {
  const ref = leadRef(ledger, leadId);
  let hasStored = false;
  try {
    const found = await removeLive(ledger, ref, leadId);
    if (found === 'alone') return true;
    hasStored = found === 'with inquiries';
    for (let steps = 0; steps < maxSteps; steps++) {
      if (await eraseStep(ledger, ref, leadId)) return true;
      hasStored = true;
    }
    return false;
  } catch (error) {
    // Some steps are stored, so an answer that nothing was changed would be false.
    if (hasStored && error instanceof Failure && error.kind === 'unavailable') return false;
    throw error;
  }
}

type LeadRef = RecordRef<typeof leads>;

/** Removes the lead, if it exists. 'alone' means that nothing else is left to remove. */
function removeLive(
  ledger: Ledger,
  ref: LeadRef,
  leadId: string,
): Promise<'alone' | 'with inquiries' | 'gone'> {
  const lead = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
  return ledger.write({ change: { lead, pipeline: pipelineRead } }, (write, read) => {
    if (!read.lead) {
      if (!write.hasExisted(ref)) throw notFound(leads.label);
      return 'gone';
    }
    // Both say the same, unless the stored data is damaged.
    const hasInquiries = write.membersOf(ref, inquiries, 'lead') > 0 || read.lead.lastInquiryId !== null;
    removeLead(write, ref, leadId);
    if (hasInquiries) return 'with inquiries';
    recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return 'alone';
  });
}

/**
 * Removes the next inquiries or messages of a removed lead. Returns true if nothing is left then. The step
 * was chosen by plain reads, so the transaction itself checks that nothing else is left.
 */
async function eraseStep(ledger: Ledger, ref: LeadRef, leadId: string): Promise<boolean> {
  const step = await nextErasureStep(ledger, ref);
  if (!step) return true;
  const { complete, partial, isLast } = step;
  return ledger.write({}, async (write) => {
    const [, removedMessages, ...removed] = await Promise.all([
      readOwner(write, ref),
      partial ? removeMessages(write, partial.inquiry.sourceId, partial.messages) : 0,
      ...complete.map(({ inquiry, messages }) => removeInquiry(ledger, write, inquiry, messages)),
    ]);
    if (partial && removedMessages > 0)
      recordEvent(write, { event: 'SMS_ERASED', about: partial.inquiry.id });
    const isAll = isLast && !removed.includes('has more');
    // If another erasure was faster, it has recorded the event.
    if (isAll && removed.includes('removed')) recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return isAll;
  });
}

/**
 * Reads the owner of the removed lead's lists: the item that its removal left. If another erasure was faster,
 * that item is gone, and the missing lead is read in its place.
 */
async function readOwner(write: Write, ref: LeadRef): Promise<void> {
  if (!(await write.readFormer(ref))) await write.read(ref, { mayStayUnchanged: true });
}
