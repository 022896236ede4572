import { Failure, notFound } from '../../core/failure.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { removeInquiry } from '../inquiries/remove-inquiry.ts';
import { leads } from '../leads/lead-record.ts';
import { leadRef, removeLead } from '../leads/leads.ts';
import { pipelineIn } from '../leads/pipeline.ts';
import { removeMessages } from '../threads/remove-messages.ts';
import { nextErasureStep } from './erasure-step.ts';

/** How much one request does: so many transactions, after the one that removes the lead. */
const maxSteps = 10;

/**
 * Erases a person: the lead, unless it was deleted before; then its inquiries, what their sources recorded, and its
 * messages. Each step is one transaction and leaves every list whole, so it can end at any point and be asked again; two
 * at once do the work once. What comes from the person meanwhile begins a new lead.
 *
 * @returns whether all is gone; false where this request has done its part, or had no time left for more
 * @throws Failure `notFound` where there never was such a lead; `unavailable` where there was no time for anything
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
    // What is stored stays: that nothing was changed would not be true.
    if (hasStored && error instanceof Failure && error.kind === 'unavailable') return false;
    throw error;
  }
}

type LeadRef = RecordRef<typeof leads>;

/** Removes the lead, if it is there: alone, where nothing else is left then. */
function removeLive(
  ledger: Ledger,
  ref: LeadRef,
  leadId: string,
): Promise<'alone' | 'with inquiries' | 'gone'> {
  const lead = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
  return ledger.write({ change: { lead, pipeline: pipelineIn(ledger) } }, (write, read) => {
    if (!read.lead) {
      if (!write.hasExisted(ref)) throw notFound(leads.label);
      return 'gone';
    }
    // Either alone would do, were nothing ever damaged.
    const hasInquiries = write.membersOf(ref) > 0 || read.lead.lastInquiryId !== null;
    removeLead(write, { ref, id: leadId }, read.pipeline);
    if (hasInquiries) return 'with inquiries';
    recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return 'alone';
  });
}

/**
 * Removes the next portion of what is left of a removed lead. Returns whether nothing is left then. What the portion was
 * chosen by are plain reads: the write itself tells whether it is enough.
 */
async function eraseStep(ledger: Ledger, ref: LeadRef, leadId: string): Promise<boolean> {
  const step = await nextErasureStep(ledger, ref);
  if (!step) return true;
  const { whole, part, isLast } = step;
  return ledger.write({}, async (write) => {
    const [, removedPart, ...removed] = await Promise.all([
      readOwner(write, ref),
      part ? removeMessages(write, part.inquiry.sourceId, part.messages) : 0,
      ...whole.map(({ inquiry, messages }) => removeInquiry(ledger, write, inquiry, messages)),
    ]);
    if (part && removedPart > 0) recordEvent(write, { event: 'SMS_ERASED', about: part.inquiry.id });
    const isAll = isLast && !removed.includes('has more');
    // Another erasure, which was faster, has told it.
    if (isAll && removed.includes('removed')) recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return isAll;
  });
}

/** Reads what owns the lists of inquiries of a removed lead: what is left of it, or nothing, if an older version removed it. */
async function readOwner(write: Write, ref: LeadRef): Promise<void> {
  if (!(await write.readFormer(ref))) await write.read(ref, { mayStayUnchanged: true });
}
