import { notFound } from '../../core/failure.ts';
import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { appointments } from '../appointments/appointment-record.ts';
import { removeAppointment } from '../appointments/remove-appointment.ts';
import { recordEvent } from '../events/record-event.ts';
import { inquiries } from '../inquiries/inquiry-record.ts';
import { removeInquiry } from '../inquiries/remove-inquiry.ts';
import { leads } from '../leads/lead-record.ts';
import { leadRef, removeLead } from '../leads/leads.ts';
import { pipelineRead } from '../leads/pipeline-record.ts';
import { removeMessages } from '../threads/remove-messages.ts';
import { noteErased } from './erased-numbers.ts';
import { nextErasureStep } from './erasure-step.ts';
import { readRemovedOwner, runSteps } from './removal-steps.ts';

/**
 * Erases a person: the lead, unless it was deleted before, then its inquiries, the data of their sources,
 * its messages, and its appointments, step by step: see `runSteps`. Of two erasures at once, only one removes each record. An
 * inquiry that the person sends meanwhile creates a new lead; a text that came in before, and is delivered late, does not. Webhooks that may be sending something of it are waited for,
 * and what their receivers answered about it goes, too.
 *
 * @returns true if everything is gone; false if the request has run all its steps or out of time
 * @throws Failure `notFound` if there never was such a lead; `unavailable` if nothing was stored before time
 * ran out
 */
export async function eraseLead(ledger: Ledger, leadId: string): Promise<boolean> {
  const ref = leadRef(ledger, leadId);
  const found = await removeLive(ledger, ref, leadId);
  const hasStored = found === 'with others';
  const isRemoved =
    found === 'alone' || (await runSteps(() => eraseStep(ledger, ref, leadId), { hasStored }));
  return isRemoved && runSteps(() => removeSent(ledger, ref), { hasStored: true });
}

type LeadRef = RecordRef<typeof leads>;

/** Removes the lead, if it exists. 'alone' means that nothing else is left to remove. */
function removeLive(ledger: Ledger, ref: LeadRef, leadId: string): Promise<'alone' | 'with others' | 'gone'> {
  const lead = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
  return ledger.write({ change: { lead, pipeline: pipelineRead } }, (write, read) => {
    if (!read.lead) {
      if (!write.hasExisted(ref)) throw notFound(leads.label);
      return 'gone';
    }
    // Both say the same of inquiries, unless the stored data is damaged.
    const hasInquiries = write.membersOf(ref, inquiries, 'lead') > 0 || read.lead.lastInquiryId !== null;
    const hasAppointments = write.membersOf(ref, appointments, 'lead') > 0;
    removeLead(write, ref, leadId);
    noteErased(write, read.lead.phone);
    if (hasInquiries || hasAppointments) return 'with others';
    recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return 'alone';
  });
}

/** Removes what is left of a removed lead outside of the ledger. Returns false if a webhook may still be sending it. */
async function removeSent({ deliveries }: Ledger, { number }: LeadRef): Promise<boolean> {
  // A run that begins from now on reads that the lead is gone. One before may store an answer until it has ended.
  if (!(await deliveries.settled())) return false;
  await deliveries.removeAnswers(number);
  return true;
}

/**
 * Removes the next inquiries, messages or appointments of a removed lead. Returns true if nothing is left then. The
 * step was chosen by plain reads, so the transaction itself checks that nothing else is left.
 */
async function eraseStep(ledger: Ledger, ref: LeadRef, leadId: string): Promise<boolean> {
  const step = await nextErasureStep(ledger, ref);
  // Another erasure may have removed the last records, which can still be read. Each step has waited for the one before.
  if (!step) {
    await ledger.write({}, (write) => write.readFormer(ref, { settled: true }));
    return true;
  }
  const { complete, partial, booked, isLast } = step;
  return ledger.write({}, async (write) => {
    const [, removedMessages, ...removed] = await Promise.all([
      readRemovedOwner(write, ref, { settled: true }),
      partial ? removeMessages(write, partial.inquiry.sourceId, partial.messages) : 0,
      ...complete.map(({ inquiry, messages }) => removeInquiry(ledger, write, inquiry, messages)),
      ...booked.map((appointment) => removeAppointment(ledger, write, appointment)),
    ]);
    if (partial && removedMessages > 0)
      recordEvent(write, { event: 'SMS_ERASED', about: partial.inquiry.id });
    // If another erasure was faster, it has recorded the event, and the next step waits until nothing can be read.
    const isAll = isLast && !removed.includes('has more') && removed.includes('removed');
    if (isAll) recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return isAll;
  });
}
