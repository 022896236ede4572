import type { Inquiry, SaidInquiry } from '../../contract/inquiries.ts';
import type { Lead } from '../../contract/leads.ts';
import type { NewInquiry } from '../../contract/new-inquiry.ts';
import { Failure, notFound } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leads } from '../leads/lead-record.ts';
import { getLead, leadRef, tryLeadRef } from '../leads/leads.ts';
import { contactsNotOf, leadOf, senderReads, senderOf, type FillOptions } from '../leads/sender.ts';
import { addInquiry, getInquiry } from './inquiries.ts';
import { externalIdOf, inquiries } from './inquiry-record.ts';
import { toSource } from './to-source.ts';
import { toInquiry } from './sources.ts';

/** An inquiry, new or stored before, and its lead; null if the lead is gone. */
export interface ReceivedInquiry {
  isNew: boolean;
  inquiry: Inquiry;
  lead: Lead | null;
}

/**
 * Stores an inquiry, and finds or creates its lead, in one transaction. If an inquiry has the `externalInquiryId`
 * already, stores nothing and returns that inquiry.
 * @throws Failure `notFound` for the lead, or if the inquiry with the `externalInquiryId` is lost
 */
export async function createInquiry(
  ledger: Ledger,
  input: NewInquiry,
  fillOptions: FillOptions = { fillsContacts: false },
): Promise<ReceivedInquiry> {
  const first = await storeUnlessKnown(ledger, input, fillOptions);
  if (typeof first !== 'string') return first;
  const known = await orNull(readReceived(ledger, first));
  if (known) return { isNew: false, ...known };
  // The inquiry was erased meanwhile, so its `externalInquiryId` is free.
  const second = await storeUnlessKnown(ledger, input, fillOptions);
  return typeof second === 'string' ? { isNew: false, ...(await readReceived(ledger, second)) } : second;
}

/**
 * Stores an inquiry. If a stored inquiry has its `externalInquiryId` already, stores nothing and returns the id of the
 * stored inquiry.
 */
async function storeUnlessKnown(
  ledger: Ledger,
  input: NewInquiry,
  fillOptions: FillOptions,
): Promise<ReceivedInquiry | string> {
  const { leadId, externalInquiryId } = input;
  const sender = input.lead && (await senderOf(ledger, input.lead));
  const ofSender = sender && senderReads(sender);
  const known = leadId === undefined ? undefined : tryLeadRef(ledger, leadId);
  const reading = {
    change: { ...(known && { known: { ref: known, mayBeAbsent: true } as const }), ...ofSender?.change },
    holders: {
      ...(externalInquiryId && {
        stored: { collection: inquiries, unique: externalIdOf(externalInquiryId) },
      }),
      ...ofSender?.holders,
    },
  };
  return ledger.write(reading, async (write, read) => {
    if (read.stored !== undefined) return read.stored;
    const lead = sender
      ? await leadOf(ledger, write, sender, { ...read, ...fillOptions })
      : known && read.known && new LeadChange(write, known, read.known);
    if (!lead) throw notFound(leads.label);
    const { summary = '', tag = '', isRead = false } = input;
    const { record, recorded } = addInquiry(write, lead, {
      ...toSource(input, write.now),
      summary,
      isSummaryGiven: summary !== '',
      tag,
      isRead,
      externalId: externalInquiryId ?? null,
      ...(sender && contactsNotOf(lead, sender)),
    });
    write.keep(ledger.ref(inquiries, record.id));
    write.keep(leadRef(ledger, lead.id));
    return { isNew: true, inquiry: toInquiry(record, recorded), lead: lead.lead };
  });
}

/** An inquiry that was stored before, and its lead. @throws Failure `notFound` for the inquiry */
export async function readReceived(
  ledger: Ledger,
  inquiryId: string,
): Promise<Omit<ReceivedInquiry, 'isNew'>> {
  const inquiry = await getInquiry(ledger, inquiryId);
  return { inquiry, lead: await orNull(getLead(ledger, inquiry.leadId)) };
}

/** Confirmation of a stored inquiry, for a voice to tell the sender. The sentence does not say who the sender is. */
export const sayReceived = ({ inquiry: { id, leadId } }: Pick<ReceivedInquiry, 'inquiry'>): SaidInquiry => ({
  say: 'Thank you, your message is noted.',
  inquiryId: id,
  leadId,
});

/** Awaits a read; null if the record is not found. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return null;
    throw error;
  }
}
