import { inquirySources, type InquirySource } from '../../../../shared/contract/inquiries.ts';
import type { Change } from '../model/change.ts';
import { leadStatuses } from '../model/pipeline.ts';
import { notFound, Refused, unlessRefused } from '../model/refusal.ts';
import { isGranted } from '../model/rules.ts';
import { searchText } from '../model/search-text.ts';
import { folded } from '../model/uniques.ts';
import type { Window } from '../model/window.ts';
import { nothingChanges, once, type CompletedProgress, type Plan, type WeightedPlan } from '../plan.ts';
import { inSomeCase, someId, someUniqueWord, type Planner } from '../planner.ts';
import { only, same, without, type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { someEmail, someFirstName, someLastName, somePhone, storedNumber } from './contacts.ts';
import { leadWith } from './conversations.ts';
import { addInquiry } from './inquiries.ts';
import { checkVisible, tags } from './inquiry-requests.ts';
import { addLead, inActivities, isOptedOut, placeWith, shownLead, someAddress } from './leads.ts';

const createdAt = '2026-01-05T08:00:00.000Z';

/** Data of a source, with a word that no other inquiry contains. It is complete, so it is stored as given. */
const dataWith = {
  CALL: (word) => ({
    ...{ summary: word, keyPoints: ['Gas heater'], transcripts: [], recordingUrl: '' },
    ...{ direction: 'AI_TO_LEAD', endedBy: 'system' },
    ...{ startedAt: createdAt, endedAt: '2026-01-05T08:01:00.000Z', duration: 60 },
    ...{ endReason: 'hung up', fields: { Problem: 'No hot water' } },
  }),
  EMAIL: (word) => ({
    ...{ subject: 'A quote', from: 'ann@example.com', to: 'office@example.com', body: word },
    receivedAt: createdAt,
  }),
  CHATBOT: (word) => ({ messages: [{ id: '1', user: 'user', text: word, createdAt }] }),
  SMS: (word) => ({ messages: [{ direction: 'INBOUND', text: word, createdAt }] }),
  WEBFORM: (word) => ({ formName: 'Contact', fields: { Note: word }, submittedAt: createdAt }),
} satisfies Record<InquirySource, (word: string) => Fields>;

/** Email of a sender with so much data that an erasure takes several requests. */
export const greatWriter = 'ann1@example.com';

/** Data of an inquiry by SMS with as many messages as it may have. */
const longData = (word: string): Fields => ({
  messages: Array.from({ length: 50 }, (_, at) => ({
    direction: 'INBOUND',
    text: `${word} ${at}`,
    createdAt,
  })),
});

/** Data of a source as it must be stored. */
function storedData(source: InquirySource, data: Fields): Fields {
  if (source !== 'SMS') return data;
  const messages = data['messages'] as Fields[];
  return { messages: messages.map((message) => ({ ...message, userId: null, status: 'RECEIVED' })) };
}

/** Sender of an inquiry: a known one, a hidden number, or one with hardly any data. */
export function someSender(planner: Planner): Fields {
  const { draw } = planner;
  const sender: Fields = {
    ...(draw.happens(0.3) && { firstName: someFirstName(planner) }),
    ...(draw.happens(0.2) && { lastName: someLastName(planner) }),
    ...(draw.happens(0.5) && { email: someEmail(planner) }),
    ...(draw.happens(0.6) && { phone: draw.happens(0.1) ? 'anonymous' : somePhone(planner) }),
    ...(draw.happens(0.2) && { suburb: 'Newtown', businessName: 'Annex' }),
    ...(draw.happens(0.2) && { address: without(someAddress(planner), 'suburb') }),
    ...(draw.happens(0.2) && { socials: draw.pick([{ x: '@other' }, { y: '@ann' }]) }),
    ...(draw.happens(0.2) && { status: draw.pick(leadStatuses) }),
  };
  const isAnybody = ['firstName', 'lastName', 'email', 'phone'].some((name) => sender[name]);
  return isAnybody ? sender : { ...sender, firstName: someFirstName(planner) };
}

/** A sender, as the model knows it. */
export interface Sender {
  details: Fields;
  /** Phone number in E.164; `""` if there is none, or an invalid one. */
  number: string;
  given: Fields;
}

export function readSender(given: Fields, country: string): Sender {
  const phone = (given['phone'] ?? '') as string;
  const number = phone === '' ? '' : (unlessRefused(() => storedNumber(phone, country)) ?? '');
  const names = ['firstName', 'lastName', 'email', 'suburb', 'address', 'businessName', 'socials', 'status'];
  const known = only(given, ...names.filter((name) => name in given));
  return { given, number, details: { firstName: '', lastName: '', email: '', ...known } };
}

const otherHalf: Record<string, string> = { firstName: 'lastName', lastName: 'firstName' };

/**
 * True if a lead can take this field. It takes half a name only if it has no name, or if the other half
 * matches.
 */
function isOfOnePerson(field: string, lead: Fields, given: Fields): boolean {
  const other = otherHalf[field];
  if (other === undefined || lead[other] === '') return true;
  // Among the names drawn here, equality for search is equality for comparison.
  return searchText(lead[other] as string) === searchText((given[other] ?? '') as string);
}

/** The place of a lead with the parts that it lacks, if it and the sender's differ in none. */
function filledPlace(before: Fields, { suburb, address = {} }: Fields): Fields {
  const known: Fields = { ...(before['address'] as Fields), suburb: before['suburb'] };
  const given = Object.entries({ ...(address as Fields), suburb }).filter(([, text]) => text);
  const differ = given.some(
    ([name, text]) => known[name] && folded(known[name] as string) !== folded(text as string),
  );
  const lacking = given.filter(([name]) => !known[name]);
  return placeWith(before, { address: differ ? {} : Object.fromEntries(lacking) });
}

/**
 * The lead of a sender: found by email, then by phone number, with its empty fields filled in; or else a new
 * lead. Only clients that may change leads add an email or a phone number to an existing lead.
 */
export function leadOf(
  change: Change,
  { details, number }: Sender,
  { fillsContacts }: { fillsContacts: boolean },
): number {
  const byEmail = leadWith(change, 'email', details['email']);
  const byPhone = leadWith(change, 'phone', number);
  const found = byEmail ?? byPhone;
  if (found === undefined) {
    const lead = addLead(change, { ...details, phone: number });
    return change.organization.numberOf('LEAD', lead['id']);
  }
  const isFree = byPhone === undefined || byPhone === found;
  fillLead(change, found, { ...details, phone: isFree ? number : '' }, { fillsContacts });
  return found;
}

/** Fills in the empty fields of a lead. Returns false if it lacks nothing. */
export function fillLead(
  change: Change,
  found: number,
  details: Fields,
  { fillsContacts }: { fillsContacts: boolean },
): boolean {
  const before = change.get('LEAD', found)!;
  const contacts = fillsContacts ? ['email', 'phone'] : [];
  const missing = ['firstName', 'lastName', 'businessName', ...contacts].filter(
    (name) => before[name] === '' && details[name] && isOfOnePerson(name, before, details),
  );
  const socials = { ...(details['socials'] as Fields | undefined), ...(before['socials'] as Fields) };
  const filled = { ...before, ...only(details, ...missing), ...filledPlace(before, details), socials };
  const after = missing.includes('phone')
    ? { ...filled, isOptedOut: isOptedOut(change, details['phone']) }
    : filled;
  if (same(before, after)) return false;
  change.replace('LEAD', found, { ...after, updatedAt: change.now });
  const leadId = before['id'] as string;
  change.event('LEAD_UPDATED', 'The lead was changed', leadId, [inActivities(change.organization, found)]);
  return true;
}

/** Fields that the sender gave and the lead does not have. */
export const givenBeside = (lead: Fields | undefined, { given, number }: Sender): Fields => ({
  givenEmail:
    folded((given['email'] ?? '') as string) === folded((lead?.['email'] ?? '') as string)
      ? ''
      : given['email'],
  givenPhone: number !== '' && lead?.['phone'] === number ? '' : (given['phone'] ?? ''),
});

/** Sends an inquiry, as a provider does. */
export function createInquiry(planner: Planner): Plan {
  const { draw, organization, variety } = planner;
  const isLong = draw.happens(0.06);
  const source = isLong ? 'SMS' : draw.pick(inquirySources);
  const word = someUniqueWord(planner);
  const data: Fields = isLong ? longData(word) : dataWith[source](word);
  const externalId = draw.happens(0.4) ? inSomeCase(planner, `mail-${draw.whole(1, 4 * variety)}`) : null;
  const leadId = !isLong && draw.happens(0.4) ? someId(planner, 'LEAD') : undefined;
  const known = organization.numberOf('LEAD', leadId);
  const from = isLong ? { firstName: 'Ann', email: greatWriter } : someSender(planner);
  const sender = leadId === undefined ? readSender(from, organization.country) : undefined;
  const about = {
    ...(draw.happens(0.6) && { summary: `About ${someUniqueWord(planner)}` }),
    ...(draw.happens(0.5) && { tag: draw.pick(tags) }),
    ...(draw.happens(0.2) && { isRead: draw.happens(0.8) }),
  };
  const body = {
    ...{ source, data, ...about },
    ...(externalId !== null && { externalInquiryId: externalId }),
    ...(sender ? { lead: sender.given } : { leadId }),
  };
  const storedName = organization.uniqueName('INQUIRY.externalInquiryId', externalId ?? '');
  const isSaid = draw.happens(0.1);
  return {
    operation: `createInquiry ${source}`,
    organization,
    call: {
      ...{ endpoint: 'createInquiry', body: JSON.stringify(body) },
      ...(isSaid && { query: { format: 'say' } }),
    },
    repeated: 'answersAgain',
    stages: once((change, { scopes }) => {
      const isThere = externalId !== null && organization.history(storedName).last !== undefined;
      if (isThere) throw new Refused(nothingChanges);
      if (leadId !== undefined && !change.get('LEAD', known)) throw new Refused(notFound);
      const fillsContacts = isGranted(scopes, 'leads:write');
      const lead = sender ? leadOf(change, sender, { fillsContacts }) : known;
      const inquiry = addInquiry(change, lead, {
        ...{ source, ...about, externalId, isSummaryGiven: 'summary' in about },
        data: storedData(source, data),
        ...(sender && givenBeside(change.get('LEAD', lead), sender)),
      });
      change.keep('INQUIRY', organization.numberOf('INQUIRY', inquiry['id']));
      change.keep('LEAD', lead);
      return { inquiry, lead: shownLead(change.get('LEAD', lead)!) };
    }),
    check: (answer, window, progress) => {
      const check = isSaid ? checkSaid : checkStored;
      check(answer as Fields, window, progress, storedName);
    },
  };
}

/**
 * Checks a response with an inquiry and its lead: as stored, or as they are if the inquiry existed. @throws
 * Violation
 */
function checkStored(
  { inquiry, lead }: Fields,
  window: Window,
  { made, may, status }: CompletedProgress,
  storedName: string,
): void {
  const { organization } = window;
  const stored = made[0]?.response as { inquiry: Fields; lead: Fields } | undefined;
  const values = stored ? [stored.inquiry] : knownIn(window, storedName);
  checkOneOf('An inquiry must be created once', [stored ? 201 : 200], status);
  checkVisible(inquiry as Fields, window, values, may);
  const leads = stored
    ? [stored.lead]
    : values.flatMap(({ leadId }) =>
        window
          .records('LEAD', organization.numberOf('LEAD', leadId))
          .map((fields) => (fields ? shownLead(fields) : null)),
      );
  const shown = leads.map((one) => (one && !may('leads:read') ? { id: one['id'] } : one));
  checkOneOf('The lead of an inquiry must be as it was stored', shown, lead);
}

/** The inquiry that has an external id, as it was in the window. */
const knownIn = (window: Window, storedName: string): Fields[] =>
  window
    .values(storedName)
    .flatMap((held) =>
      held ? window.present('INQUIRY', window.organization.numberOf('INQUIRY', held.fields['id'])) : [],
    );

/** Checks an inquiry as it is told. @throws Violation */
function checkSaid(body: Fields, window: Window, { made }: CompletedProgress, storedName: string): void {
  const stored = made[0]?.response as { inquiry: Fields } | undefined;
  const told = (stored ? [stored.inquiry] : knownIn(window, storedName)).map(({ id, leadId }) => ({
    ...{ say: 'Thank you, your message is noted.', inquiryId: id, leadId },
  }));
  checkOneOf('An inquiry must be told as it was stored', told, body);
}

export const plans: readonly WeightedPlan[] = [[createInquiry, 10]];
