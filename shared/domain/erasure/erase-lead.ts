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
import { readRemovedOwner, runSteps } from '../removal/removal-steps.ts';
import { removeMessages } from '../threads/remove-messages.ts';
import { noteErased } from './erased-numbers.ts';
import { nextErasureStep } from './erasure-step.ts';

/**
 * Erases a person, step by step: see `runSteps`. The lead goes first, unless it was deleted before. Then its inquiries,
 * the data of their sources, its messages, and its appointments go. If two erasures run at once, only one removes each
 * record. An inquiry that the person sends meanwhile creates a new lead. A text that came in before the erasure, and is
 * delivered late, does not. Waits for webhooks that may be sending the person's data, and removes their receivers'
 * answers about the person, too.
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

/** Removes the lead, if it exists. 'alone' means that no other record is left to remove. */
function removeLive(ledger: Ledger, ref: LeadRef, leadId: string): Promise<'alone' | 'with others' | 'gone'> {
  const lead = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
  return ledger.write({ change: { lead, pipeline: pipelineRead } }, (write, read) => {
    if (!read.lead) {
      if (!write.hasExisted(ref)) throw notFound(leads.label);
      return 'gone';
    }
    // Both conditions say the same, unless the stored data is damaged.
    const hasInquiries = write.membersOf(ref, inquiries, 'lead') > 0 || read.lead.lastInquiryId !== null;
    const hasAppointments = write.membersOf(ref, appointments, 'lead') > 0;
    removeLead(write, ref, leadId);
    noteErased(write, read.lead.phone);
    if (hasInquiries || hasAppointments) return 'with others';
    recordEvent(write, { event: 'LEAD_ERASED', about: leadId });
    return 'alone';
  });
}

/**
 * Removes the data about a removed lead outside of the ledger. Returns false if a webhook may still be sending such
 * data.
 */
async function removeSent({ deliveries }: Ledger, { number }: LeadRef): Promise<boolean> {
  // A run of the sender that begins from now on reads that the lead is gone. An earlier run may store an answer until
  // it has ended.
  if (!(await deliveries.waitForRuns())) return false;
  await deliveries.removeAnswers(number);
  return true;
}

/**
 * Removes the next inquiries, messages or appointments of a removed lead. Returns true if nothing is left then. Plain
 * reads choose the step, so the transaction itself checks that no other record is left.
 */
async function eraseStep(ledger: Ledger, ref: LeadRef, leadId: string): Promise<boolean> {
  const step = await nextErasureStep(ledger, ref);
  // Another erasure may have removed the last records, and plain reads can still show them: waits until they are gone.
  // Each step has waited for the step before.
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
