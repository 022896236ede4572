import type { Inquiry } from '../../contract/inquiries.ts';
import type { Lead } from '../../contract/leads.ts';
import type { InquirySender, NewInquiry } from '../../contract/new-inquiry.ts';
import { Failure, notFound } from '../../core/failure.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leads, namesOf } from '../leads/lead-record.ts';
import { addLead, getLead, leadRef, tryLeadRef } from '../leads/leads.ts';
import { PipelineChange, pipelineIn } from '../leads/pipeline.ts';
import { isInternational, validNumber } from '../phone/phone-number.ts';
import { addInquiry, getInquiry } from './inquiries.ts';
import { externalIdOf, inquiries } from './inquiry-record.ts';
import { toSource } from './new-source.ts';
import { toInquiry } from './sources.ts';

/** An inquiry that was stored, or was there already, and its lead; null where that is gone. */
export interface ReceivedInquiry {
  isNew: boolean;
  inquiry: Inquiry;
  lead: Lead | null;
}

/** Who an inquiry is from, and the phone number in E.164; `""` where there is none that is valid. */
interface Sender {
  given: InquirySender;
  number: string;
}

/**
 * Stores an inquiry, and finds its lead or makes one, in one transaction; or none where an inquiry has its
 * `externalInquiryId` already, which is then the answer.
 * @throws Failure `notFound` for the lead
 */
export async function receiveInquiry(ledger: Ledger, input: NewInquiry): Promise<ReceivedInquiry> {
  const { leadId, externalInquiryId } = input;
  const sender = input.lead && { given: input.lead, number: await numberOf(ledger, input.lead.phone) };
  const known = leadId === undefined ? undefined : tryLeadRef(ledger, leadId);
  const pipeline = pipelineIn(ledger);
  const reading = {
    change: {
      ...(known && { known: { ref: known, mayBeAbsent: true } as const }),
      ...(sender && { pipeline }),
    },
    holders: {
      ...(externalInquiryId && {
        stored: { collection: inquiries, unique: externalIdOf(externalInquiryId) },
      }),
      ...(sender?.given.email && {
        byEmail: { collection: leads, unique: { field: 'email', value: sender.given.email } },
      }),
      ...(sender?.number && {
        byPhone: { collection: leads, unique: { field: 'phone', value: sender.number } },
      }),
    },
  };
  const outcome = await ledger.write(reading, async (write, read) => {
    if (read.stored !== undefined) return read.stored;
    const lead = sender
      ? ((await findLead(ledger, write, sender, read)) ??
        (await makeLead(write, sender, new PipelineChange(write, pipeline.ref, read.pipeline))))
      : known && read.known && new LeadChange(write, known, read.known);
    if (!lead) throw notFound(leads.label);
    const isOfLead = sender !== undefined && sender.number !== '' && sender.number === lead.phone;
    const { summary = '', tag = '', isRead = false } = input;
    const { record, recorded } = addInquiry(write, lead, {
      ...toSource(input, write.now),
      summary,
      tag,
      isRead,
      externalId: externalInquiryId ?? null,
      givenPhone: isOfLead ? '' : (sender?.given.phone ?? ''),
    });
    return { inquiry: toInquiry(record, recorded), lead: lead.lead };
  });
  if (typeof outcome !== 'string') return { isNew: true, ...outcome };
  const inquiry = await getInquiry(ledger, outcome);
  return { isNew: false, inquiry, lead: await leadOrNull(ledger, inquiry.leadId) };
}

/** The lead with this email, else with this phone number, with what it lacked. */
async function findLead(
  ledger: Ledger,
  write: Write,
  { given, number }: Sender,
  { byEmail, byPhone }: { byEmail?: string | undefined; byPhone?: string | undefined },
): Promise<LeadChange | undefined> {
  const id = byEmail ?? byPhone;
  if (id === undefined) return undefined;
  const ref = leadRef(ledger, id);
  const record = await write.read(ref);
  // It was deleted since: the head has moved on, and the write is built again.
  if (!record) return undefined;
  const lead = new LeadChange(write, ref, record);
  const { email = '', suburb = '', businessName = '', socials = {} } = given;
  lead.fillIn({
    ...namesOf(given),
    email,
    phone: byPhone === undefined || byPhone === id ? number : '',
    suburb,
    businessName,
    socials,
  });
  return lead;
}

async function makeLead(
  write: Write,
  { given, number }: Sender,
  pipeline: PipelineChange,
): Promise<LeadChange> {
  const { ref, record } = await addLead(write, pipeline, { ...given, phone: number });
  return new LeadChange(write, ref, record);
}

/** A phone number in E.164; a national one is read in the organization's country. `""` where it is hidden or not valid. */
async function numberOf(ledger: Ledger, phone = ''): Promise<string> {
  // What has no digit, such as "anonymous", is no number in any country.
  if (!/\p{Nd}/u.test(phone)) return '';
  return validNumber(phone, isInternational(phone) ? '' : await ledger.country());
}

async function leadOrNull(ledger: Ledger, leadId: string): Promise<Lead | null> {
  try {
    return await getLead(ledger, leadId);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') return null;
    throw error;
  }
}
