import type { NewAddress } from '../../contract/address.ts';
import type { Lead } from '../../contract/leads.ts';
import type { InquirySender } from '../../contract/new-inquiry.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { foldCase, foldName } from '../../core/fold-case.ts';
import { comparableNumber, firstNumberIn, validNumberIn } from '../phone/phone-number.ts';
import { LeadChange, readLead, type LeadDetails } from './lead-change.ts';
import { leads, namesOf, phoneValue } from './lead-record.ts';
import { addLead } from './leads.ts';
import { pipelineRead } from './pipeline-record.ts';

/** The person that an inquiry came from. */
export interface Sender {
  given: InquirySender;
  /** The phone number in E.164, or `""` if none is valid. */
  number: string;
  /** True if the given text is the number alone. Otherwise the text says more, such as "(mobile)". */
  isNumberAlone: boolean;
}

/** Ids of leads that a write has read for `senderReads`. */
export interface SenderRead {
  byEmail?: string | undefined;
  byPhone?: string | undefined;
}

/**
 * Finds the sender's phone number. A national number is parsed as a number of the organization's country.
 * @param phones candidates for the phone number: the first that is a number counts, else the first number in one of them
 */
export async function senderOf(
  ledger: Ledger,
  given: InquirySender,
  phones: readonly string[] = [given.phone ?? ''],
): Promise<Sender> {
  let reading: Promise<string> | undefined;
  const country = () => (reading ??= ledger.country());
  for (const read of [validNumberIn, firstNumberIn]) {
    for (const phone of phones) {
      const number = await read(country, phone);
      if (number !== '') return { given: { ...given, phone }, number, isNumberAlone: read === validNumberIn };
    }
  }
  return { given, number: '', isNumberAlone: false };
}

/** Reads that a write needs to find the sender's lead or to create one. */
export function senderReads({ given: { email }, number }: Sender) {
  return {
    change: { pipeline: pipelineRead },
    holders: {
      ...(email && { byEmail: { collection: leads, unique: { field: 'email', value: email } } }),
      ...(number && { byPhone: { collection: leads, unique: phoneValue(number) } }),
    },
  };
}

/** Rule that says which fields of an existing lead an inquiry may fill. */
export interface FillOptions {
  /**
   * True if the inquiry may fill the email and the phone number. Only callers that may change leads allow it. Otherwise
   * somebody who knows a customer's email could add their own phone number, and get the customer's messages.
   */
  fillsContacts: boolean;
}

/**
 * Finds the sender's lead, by email or otherwise by phone number, and fills its empty fields; or creates a
 * lead. Part of a write, which has read `senderReads`.
 */
export async function leadOf(
  ledger: Ledger,
  write: Write,
  sender: Sender,
  read: SenderRead & FillOptions,
): Promise<LeadChange> {
  const found = await findLead(ledger, write, sender, read);
  if (found) return found;
  const { ref, record } = await addLead(write, { ...sender.given, phone: sender.number });
  return new LeadChange(write, ref, record);
}

/**
 * The sender's email and phone number as given, each only if the lead does not have it; otherwise `""`. The lead does not
 * have what stands beside a number.
 */
export function contactsNotOf(
  lead: Pick<LeadChange, 'email' | 'phone'>,
  { given: { email = '', phone = '' }, number, isNumberAlone }: Sender,
): { givenEmail: string; givenPhone: string } {
  return {
    givenEmail: foldCase(email) === foldCase(lead.email) ? '' : email,
    givenPhone: isNumberAlone && isNumberOf(lead, number) ? '' : phone,
  };
}

/** The sender's name as given, if a part of it differs from the lead's; otherwise `""`. */
export function nameNotOf(
  lead: Record<'firstName' | 'lastName', string>,
  { given }: Pick<Sender, 'given'>,
): string {
  const { firstName, lastName } = namesOf(given);
  const differs = (one: string, known: string) => one !== '' && foldName(one) !== foldName(known);
  return differs(firstName, lead.firstName) || differs(lastName, lead.lastName)
    ? `${firstName} ${lastName}`.trim()
    : '';
}

/** The sender's address, if a part of it differs from the lead's; otherwise the lead's. */
export function placeOf(
  { address: known }: Pick<Lead, 'address'>,
  sender: Pick<Sender, 'given'>,
): NewAddress {
  const { address: given = {} } = detailsOf(sender);
  const knownPart = new Map(Object.entries(known));
  const differs = Object.entries(given).some(
    ([name, part]) => part && foldName(part) !== foldName(knownPart.get(name) ?? ''),
  );
  return differs ? given : known;
}

/** True if a lead has a number, in any way of writing it. */
export const isNumberOf = (lead: { phone: string }, number: string): boolean =>
  number !== '' && comparableNumber(number) === comparableNumber(lead.phone);

/** The lead with this email, or otherwise with this phone number, with its empty fields filled. */
async function findLead(
  ledger: Ledger,
  write: Write,
  { given, number }: Sender,
  { byEmail, byPhone, fillsContacts }: SenderRead & FillOptions,
): Promise<LeadChange | undefined> {
  const id = byEmail ?? byPhone;
  if (id === undefined) return undefined;
  const lead = await readLead(ledger, write, id);
  // The lead was deleted meanwhile, so the head has moved on and the write is built again.
  if (!lead) return undefined;
  const { email = '' } = given;
  await lead.fillIn({
    ...detailsOf({ given }),
    ...(fillsContacts && { email, phone: byPhone === undefined || byPhone === id ? number : '' }),
  });
  return lead;
}

/** Details that a sender tells of a lead, without its email and phone number. */
export function detailsOf({ given }: Pick<Sender, 'given'>): LeadDetails {
  const { suburb = given.address?.suburb, businessName = '', socials = {} } = given;
  return { ...namesOf(given), address: { ...given.address, suburb }, businessName, socials };
}
