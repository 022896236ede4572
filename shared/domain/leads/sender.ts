import type { InquirySender } from '../../contract/new-inquiry.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { foldCase } from '../../core/fold-case.ts';
import { comparableNumber, isInternational, validNumber } from '../phone/phone-number.ts';
import { LeadChange } from './lead-change.ts';
import { leads, namesOf, phoneValue } from './lead-record.ts';
import { addLead, leadRef } from './leads.ts';
import type { PipelineRecord } from './pipeline-record.ts';
import { PipelineChange, pipelineIn } from './pipeline.ts';

/** Who something came from: what is known of the person, and the phone number in E.164; `""` where there is none that is valid. */
export interface Sender {
  given: InquirySender;
  number: string;
}

/** What `senderReads` has read. */
interface SenderRead {
  pipeline?: PipelineRecord | undefined;
  byEmail?: string | undefined;
  byPhone?: string | undefined;
}

/**
 * Who something came from, as the sender says it: a national phone number is read in the organization's country.
 * @param phones several texts of which one may be the phone number: the first that is valid is it
 */
export async function senderOf(
  ledger: Ledger,
  given: InquirySender,
  phones: readonly string[] = [given.phone ?? ''],
): Promise<Sender> {
  let country: string | undefined;
  for (const phone of phones) {
    // What has no digit, such as "anonymous", is no number in any country.
    if (!/\p{Nd}/u.test(phone)) continue;
    const of = isInternational(phone) ? '' : (country ??= await ledger.country());
    const number = await validNumber(phone, of);
    if (number !== '') return { given: { ...given, phone }, number };
  }
  return { given, number: '' };
}

/** What a write must read to find the sender's lead, or to make one. */
export function senderReads(ledger: Ledger, { given: { email }, number }: Sender) {
  return {
    change: { pipeline: pipelineIn(ledger) },
    holders: {
      ...(email && { byEmail: { collection: leads, unique: { field: 'email', value: email } } }),
      ...(number && { byPhone: { collection: leads, unique: phoneValue(number) } }),
    },
  };
}

/** Rule for what a lead that was there gets by something that came in. */
export interface FillOptions {
  /**
   * True if it may get an email and a phone number. Texts and emails go to them, so only who may change leads says where: who knows
   * the email of a customer could put a number of their own beside it.
   */
  fillsContacts: boolean;
}

/**
 * The part of a write that finds the sender's lead, by the email, else by the phone number, and gives it what it lacks; or makes
 * one. `read` is what `senderReads` asked for.
 */
export async function leadOf(
  ledger: Ledger,
  write: Write,
  sender: Sender,
  read: SenderRead & FillOptions,
): Promise<LeadChange> {
  const found = await findLead(ledger, write, sender, read);
  if (found) return found;
  const pipeline = new PipelineChange(write, pipelineIn(ledger).ref, read.pipeline);
  const { ref, record } = await addLead(write, pipeline, { ...sender.given, phone: sender.number });
  return new LeadChange(write, ref, record);
}

/** The email and the phone number as the sender gave them, each where the lead does not have it; else `""`. */
export function contactsNotOf(
  lead: Pick<LeadChange, 'email' | 'phone'>,
  { given: { email = '', phone = '' }, number }: Sender,
): { givenEmail: string; givenPhone: string } {
  return {
    givenEmail: foldCase(email) === foldCase(lead.email) ? '' : email,
    givenPhone: isNumberOf(lead, number) ? '' : phone,
  };
}

/** True if a lead has a number, in whichever way either is written. */
export const isNumberOf = (lead: { phone: string }, number: string): boolean =>
  number !== '' && comparableNumber(number) === comparableNumber(lead.phone);

/** The lead with this email, else with this phone number, with what it lacked. */
async function findLead(
  ledger: Ledger,
  write: Write,
  { given, number }: Sender,
  { byEmail, byPhone, fillsContacts }: SenderRead & FillOptions,
): Promise<LeadChange | undefined> {
  const id = byEmail ?? byPhone;
  if (id === undefined) return undefined;
  const ref = leadRef(ledger, id);
  const record = await write.read(ref);
  // It was deleted since: the head has moved on, and the write is built again.
  if (!record) return undefined;
  const lead = new LeadChange(write, ref, record);
  const { email = '', suburb = '', businessName = '', socials = {} } = given;
  await lead.fillIn({
    ...namesOf(given),
    ...(fillsContacts && { email, phone: byPhone === undefined || byPhone === id ? number : '' }),
    suburb,
    businessName,
    socials,
  });
  return lead;
}
