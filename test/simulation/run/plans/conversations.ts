import type { OutgoingSms } from '../../../../shared/domain/sms/sms-provider.ts';
import type { LeadMatch } from '../../../../shared/contract/leads.ts';
import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import { folded } from '../model/uniques.ts';
import type { Window } from '../model/window.ts';
import type { Progress } from '../plan.ts';
import type { Fields } from '../same.ts';
import { addInquiry, addMessage } from './inquiries.ts';
import { inActivities, optOutOf } from './leads.ts';

/** Name of the item that holds a unique value of a lead. */
export const leadValue = (organization: OrganizationModel, field: LeadMatch, value: string): string =>
  organization.uniqueName(`LEAD.${field}`, field === 'externalId' ? value : folded(value));

/** Number of the lead with this value; undefined if there is none. */
export function leadWith(change: Change, field: LeadMatch, value: unknown): number | undefined {
  if (!value) return undefined;
  const { organization } = change;
  const held = organization.history(leadValue(organization, field, value as string)).last;
  return held && organization.numberOf('LEAD', held.fields['id']);
}

/** An SMS to hand over. The change that stores it passes it to the next change and to the check. */
export interface ToSend {
  handover: OutgoingSms;
  /** Number of the message; undefined for a reply that is not stored. */
  message: number | undefined;
}

/** Summary of a text: its beginning. The texts of the simulation contain no control characters. */
export const summaryOf = (text: string): string => Array.from(text).slice(0, 200).join('');

/** A message of a lead, with the data of a thread to add if there is none. */
interface Said {
  message: Fields;
  /** Organization's number of a new thread. */
  number: string;
  isRead: boolean;
  givenPhone?: string;
}

/**
 * Adds a message to a thread of a lead, or to a new thread. Returns the thread's number and its inquiry's id.
 */
export function say(
  change: Change,
  lead: number,
  thread: number | undefined,
  { message, number, isRead, givenPhone = '' }: Said,
): { thread: number; inquiryId: string } {
  if (thread !== undefined) {
    addMessage(change, thread, message);
    return { thread, inquiryId: change.get('THREAD', thread)!['inquiryId'] as string };
  }
  const summary = summaryOf(message['text'] as string);
  const data = { number, messages: [message] };
  const inquiry = addInquiry(change, lead, { source: 'SMS', summary, isRead, givenPhone, data });
  return { thread: Number(inquiry['sourceId']), inquiryId: inquiry['id'] as string };
}

/**
 * Appends the event of an SMS about to be sent, and returns what to hand over. The SMS must be the newest
 * message.
 */
export function storeToSend(
  change: Change,
  text: { to: string; text: string; from: string },
): ToSend & { message: number } {
  const message = change.next('MESSAGE') - 1;
  const { inquiryId } = change.get('MESSAGE', message)!;
  change.event('SMS_CREATED', 'An SMS is about to be handed over', String(inquiryId));
  const context = { organization: change.organization.code, message: String(message) };
  return { message, handover: { ...text, context } };
}

/** Appends the event of a sent message to its lead, if the lead still exists. */
export function tellSent(change: Change, { threadId }: Fields): void {
  const { organization } = change;
  const { leadId, inquiryId } = change.get('THREAD', Number(threadId))!;
  const lead = organization.numberOf('LEAD', leadId);
  if (!change.get('LEAD', lead)) return;
  const activity = inActivities(organization, lead);
  change.event('SMS_SENT', 'An SMS was handed over to be sent', inquiryId as string, [activity]);
}

export interface PhoneNumber {
  number: string;
  arn: string;
}

export const numbersOf = (change: Change) => change.get('ORGANIZATION', 1)!['numbers'] as PhoneNumber[];

/**
 * Number that an SMS is sent from: this one if the organization has it, else the organization's first, else
 * the stack's.
 */
export function originOf(change: Change, number: string): string {
  const numbers = numbersOf(change);
  const own = numbers.find((one) => one.number === number) ?? numbers[0];
  return own?.arn ?? 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1';
}

const outcomes = {
  SENT: ['SMS_ACCEPTED', 'The provider took the SMS'],
  FAILED: ['SMS_FAILED', 'The SMS was not sent'],
  UNKNOWN: ['SMS_UNKNOWN', 'The provider gave no answer for the SMS'],
} as const;

/** Stores the outcome of an SMS at the provider, unless a delivery report was faster. @throws Refused */
export function storeOutcome(change: Change, { message, handover }: ToSend, { handovers }: Progress): void {
  const outcome = handovers[0]?.outcome;
  if (!outcome || message === undefined)
    throw new Refused({ status: 0, message: 'no outcome of the provider is known yet' });
  const before = change.get('MESSAGE', message);
  if (before) {
    if (before['status'] !== 'SENDING' && before['status'] !== 'UNKNOWN')
      throw new Refused({ status: 0, message: 'what became of it is known' });
    const providerId = outcome.status === 'SENT' ? outcome.providerId : null;
    change.replace('MESSAGE', message, { ...before, status: outcome.status, providerId });
    if (outcome.status === 'SENT') tellSent(change, before);
    if (outcome.status === 'FAILED') change.note(outcome.reason);
    const [event, data] = outcomes[outcome.status];
    change.event(event, data, String(before['inquiryId']));
  }
  if (outcome.status === 'FAILED' && outcome.reason === 'OPTED_OUT') {
    const phone = handover.to;
    const lead = leadWith(change, 'phone', phone);
    // The message was erased meanwhile, and a new lead of the number already shows the opt-out.
    const isKnown = !before && lead !== undefined && change.get('LEAD', lead)?.['isOptedOut'] === true;
    if (!isKnown) noteOptOut(change, { phone, lead, isOut: true, at: change.now });
  }
  if (change.version === change.organization.version)
    throw new Refused({ status: 0, message: 'the message is erased' });
}

/** An opt-out of a number from SMS, or an opt-in. */
interface Word {
  phone: string;
  /** Number of the lead with that phone number; undefined if there is none. */
  lead: number | undefined;
  isOut: boolean;
  at: string;
}

/** Opts a number and its lead out or in. Returns true if that changes the number. */
export function noteOptOut(change: Change, word: Word): boolean {
  const { phone, isOut, at } = word;
  const known = optOutOf(change, phone);
  if (known ? String(known['createdAt']) >= at : !isOut) return false;
  tell(change, word, store(change, known, word));
  return !isOut || known === undefined;
}

/** Counts a reply to HELP for a number. Returns false if the number has opted out and had its reply. */
export function noteHelp(change: Change, phone: string): boolean {
  const known = optOutOf(change, phone);
  if (known?.['isHelped'] === true) return false;
  if (known) change.replace('OPTOUT', Number(known['id']), { ...known, isHelped: true });
  return true;
}

/** Stores the opt-out and returns its number. */
function store(change: Change, known: Fields | undefined, { phone, isOut, at }: Word): number {
  if (!known) {
    const numberHash = change.hashed(phone);
    return Number(change.append('OPTOUT', (id) => ({ id, numberHash, createdAt: at }))['id']);
  }
  const number = Number(known['id']);
  if (isOut) change.replace('OPTOUT', number, { ...known, createdAt: at });
  else change.remove('OPTOUT', number);
  return number;
}

function tell(change: Change, { lead, isOut }: Word, optOut: number): void {
  const [out, again] = isOut ? ['OUT', 'out of SMS'] : ['IN', 'in to SMS again'];
  if (lead === undefined) {
    change.event(`NUMBER_OPTED_${out}`, `A number that no lead has opted ${again}`, optOut);
    return;
  }
  const before = change.get('LEAD', lead)!;
  if (before['isOptedOut'] === isOut) return;
  change.replace('LEAD', lead, { ...before, isOptedOut: isOut, updatedAt: change.now });
  const activity = inActivities(change.organization, lead);
  change.event(`LEAD_OPTED_${out}`, `The lead opted ${again}`, String(before['id']), [activity]);
}

const erasedName = ({ code }: OrganizationModel, hash: string) => `ORG#${code}#ERASED ${hash}`;

/** True if the person with a number was erased at a time or later, as of the window, or now. */
export function wasErasedSince(
  organization: OrganizationModel,
  phone: string,
  time: string,
  window?: Window,
): boolean {
  const name = erasedName(organization, organization.hashed(phone));
  const notes = window?.values(name) ?? [organization.history(name).last];
  return notes.some((note) => note !== undefined && String(note.fields['at']) >= time);
}
