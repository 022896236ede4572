import { inquirySources, type InquirySource } from '../../../../shared/contract/inquiries.ts';
import { folded } from '../model/case-folding.ts';
import type { Change } from '../model/change.ts';
import { completeData } from '../model/inquiry-data.ts';
import { storedNumber } from '../model/phone-numbers.ts';
import { leadStatuses } from '../model/pipeline.ts';
import { notFound, Refused, unlessRefused } from '../model/refusal.ts';
import { isGranted } from '../model/scopes.ts';
import { searchText } from '../model/search-text.ts';
import type { Window } from '../model/window.ts';
import { once, type CompletedProgress, type Plan, type WeightedPlan } from '../plan.ts';
import { inSomeCase, someId, someUniqueWord, withNulls, type Planner } from '../planner.ts';
import { only, same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { leadWith } from './conversations.ts';
import { addInquiry } from './inquiries.ts';
import { isOptedOut } from '../model/opt-outs.ts';
import { checkInquiry, tags } from './inquiry-reads.ts';
import {
  addLead,
  inActivities,
  shownLead,
  someEmail,
  someFirstName,
  someLastName,
  somePhone,
} from './leads.ts';

const earlier = '2026-01-05T08:00:00.000Z';

/** Data that providers send for each source: complete, partial, or empty. */
const recorded: Record<InquirySource, readonly Fields[]> = {
  CALL: [
    {},
    { duration: 90, summary: 'Asked for a quote' },
    { startedAt: '2026-01-05T19:00:00+11:00', duration: 12.5, direction: 'AI_TO_LEAD' },
    {
      ...{
        keyPoints: ['Gas heater'],
        recordingUrl: 'https://recordings.example.com/1.mp3',
        endedBy: 'system',
      },
      ...{ startedAt: earlier, endedAt: '2026-01-05T08:01:00Z' },
      transcripts: [
        { text: 'How can I help?', user: 'assistant', created_at: earlier },
        { text: 'No hot water.' },
      ],
    },
  ],
  EMAIL: [
    {},
    { subject: 'A quote', from: 'ann@example.com', to: 'office@example.com', body: 'Dear all,\n\nno.' },
  ],
  CHATBOT: [
    {},
    { messages: [{ text: 'Hello' }, { id: 'b', user: 'assistant', text: 'Hi', createdAt: earlier }] },
    { messages: [{ id: '2' }, { text: 'Hi' }, {}, { id: '5', createdAt: earlier }] },
  ],
  SMS: [
    {},
    {
      messages: [{ text: 'No hot water' }, { direction: 'OUTBOUND', text: 'On our way', createdAt: earlier }],
    },
    // Only pictures.
    { messages: [{ createdAt: earlier }, { text: '' }, { text: 'Before', createdAt: earlier }] },
  ],
  WEBFORM: [{}, { id: 'x', formName: 'Contact', fields: { Name: 'Ann', 水: 'x' }, submittedAt: earlier }],
};

/** Data of a source, with a word that no other inquiry contains. */
function dataWithUniqueWord(planner: Planner, source: InquirySource): Fields {
  const word = someUniqueWord(planner);
  switch (source) {
    case 'CALL':
      return { summary: word };
    case 'EMAIL':
      return { body: word };
    case 'CHATBOT':
      return { messages: [{ text: word }] };
    case 'SMS':
      return { messages: [{ text: word }] };
    case 'WEBFORM':
      return { fields: { Note: word } };
  }
}

/** Email of a sender with so much data that an erasure takes several requests. */
export const greatWriter = 'ann1@example.com';

/** Messages of an inquiry, up to the maximum. */
function longData(planner: Planner): Fields {
  const word = someUniqueWord(planner);
  return { messages: Array.from({ length: 50 }, (_, at) => ({ text: `${word} ${at}` })) };
}

/** Sender of an inquiry: a known one, a hidden number, or one with hardly any data. */
function someSender(planner: Planner): Fields {
  const { draw } = planner;
  const sender: Fields = {
    ...(draw.happens(0.3) && { name: `${someFirstName(planner)} ${someLastName(planner)}`.trim() }),
    ...(draw.happens(0.2) && { lastName: someLastName(planner) }),
    ...(draw.happens(0.5) && { email: someEmail(planner) }),
    ...(draw.happens(0.6) && { phone: draw.happens(0.1) ? 'anonymous' : somePhone(planner) }),
    ...(draw.happens(0.2) && { suburb: 'Newtown', businessName: 'Annex' }),
    ...(draw.happens(0.2) && { socials: draw.pick([{ x: '@other' }, { y: '@ann' }]) }),
    ...(draw.happens(0.2) && { status: draw.pick(leadStatuses) }),
  };
  const isAnybody = ['name', 'lastName', 'email', 'phone'].some((name) => sender[name]);
  return isAnybody ? sender : { ...sender, name: someFirstName(planner) };
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
  const number = phone === '' ? '' : (unlessRefused(() => storedNumber(phone, country, 'phone')) ?? '');
  const [first = '', ...rest] = ((given['name'] ?? '') as string).split(' ');
  const firstName = given['firstName'] || first;
  const lastName = given['lastName'] || rest.join(' ');
  return {
    given,
    number,
    details: { email: '', ...only(given, ...kept(given)), firstName, lastName },
  };
}

const kept = (given: Fields) =>
  ['email', 'suburb', 'businessName', 'socials', 'status'].filter((name) => name in given);

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
  const before = change.get('LEAD', found)!;
  const isFree = byPhone === undefined || byPhone === found;
  const wanted: Fields = { ...details, phone: isFree ? number : '' };
  const contacts = fillsContacts ? ['email', 'phone'] : [];
  const missing = ['firstName', 'lastName', 'suburb', 'businessName', ...contacts].filter(
    (name) => before[name] === '' && wanted[name] && isOfOnePerson(name, before, wanted),
  );
  const socials = { ...(details['socials'] as Fields | undefined), ...(before['socials'] as Fields) };
  const filled = { ...before, ...only(wanted, ...missing), socials };
  const after = missing.includes('phone')
    ? { ...filled, isOptedOut: isOptedOut(change, wanted['phone']) }
    : filled;
  if (same(before, after)) return found;
  change.replace('LEAD', found, { ...after, updatedAt: change.now });
  const leadId = before['id'] as string;
  change.event('LEAD_UPDATED', 'The lead was changed', leadId, [inActivities(change.organization, found)]);
  return found;
}

/** Fields that the sender gave and the lead does not have. */
export const givenBeside = (lead: Fields | undefined, { given, number }: Sender): Fields => ({
  givenEmail:
    folded((given['email'] ?? '') as string) === folded(lead?.['email'] as string) ? '' : given['email'],
  givenPhone: number !== '' && lead?.['phone'] === number ? '' : (given['phone'] ?? ''),
});

/** Sends an inquiry, as a provider does. */
export function createInquiry(planner: Planner): Plan {
  const { draw, organization, variety } = planner;
  const isLong = draw.happens(0.06);
  const source = isLong ? 'SMS' : draw.pick(inquirySources);
  const data = isLong
    ? longData(planner)
    : draw.happens(0.3)
      ? dataWithUniqueWord(planner, source)
      : draw.pick(recorded[source]);
  const externalId = draw.happens(0.4) ? inSomeCase(planner, `mail-${draw.whole(1, 4 * variety)}`) : null;
  const leadId = !isLong && draw.happens(0.4) ? someId(planner, 'LEAD') : undefined;
  const known = organization.numberOf('LEAD', leadId);
  const from = isLong ? { name: 'Ann', email: greatWriter } : someSender(planner);
  const sender = leadId === undefined ? readSender(from, organization.country) : undefined;
  const about = {
    ...(draw.happens(0.6) && { summary: `About ${someUniqueWord(planner)}` }),
    ...(draw.happens(0.5) && { tag: draw.pick(tags) }),
    ...(draw.happens(0.2) && { isRead: draw.happens(0.8) }),
  };
  const given = {
    ...{ source, data, ...about },
    ...(externalId !== null && { externalInquiryId: externalId }),
    ...(sender ? { lead: sender.given } : { leadId }),
  };
  const body = withNulls(planner, given, ...['summary', 'tag', 'isRead', 'externalInquiryId']);
  const storedName = organization.uniqueName('INQUIRY.externalInquiryId', externalId ?? '');
  return {
    operation: `createInquiry ${source}`,
    organization,
    call: { endpoint: 'createInquiry', body: JSON.stringify(body) },
    stages: once((change, { scopes }) => {
      const isThere = externalId !== null && organization.history(storedName).last !== undefined;
      if (isThere) throw new Refused({ status: 200, message: 'nothing changes' });
      const fillsContacts = isGranted(scopes, 'leads:write');
      const lead = sender ? leadOf(change, sender, { fillsContacts }) : known;
      const inquiry = addInquiry(change, lead, {
        ...{ source, ...about, externalId, isSummaryGiven: 'summary' in about },
        data: completeData(source, data, change.now),
        ...(sender && givenBeside(change.get('LEAD', lead), sender)),
      });
      return { inquiry, lead: shownLead(change.get('LEAD', lead)!) };
    }),
    check: (answer, window, progress) => {
      checkStored(answer as Fields, window, progress, storedName);
    },
    refusals: (window) => (leadId !== undefined && window.canMiss('LEAD', known) ? [notFound('lead')] : []),
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
  const values = stored
    ? [stored.inquiry]
    : window
        .values(storedName)
        .flatMap((held) =>
          held ? window.present('INQUIRY', organization.numberOf('INQUIRY', held.fields['id'])) : [],
        );
  if (status !== (stored ? 201 : 200)) {
    throw new Violation('An inquiry must be created once', {
      expected: stored ? 201 : 200,
      observed: status,
    });
  }
  const observed = inquiry as Fields;
  if (may('inquiries:read')) checkInquiry(observed, window, values);
  else if (!values.some(({ id }) => same({ id }, observed))) {
    throw new Violation('A token that may not read inquiries must get only the id', {
      expected: values,
      observed,
    });
  }
  const leads = stored
    ? [stored.lead]
    : values.flatMap(({ leadId }) =>
        window
          .records('LEAD', organization.numberOf('LEAD', leadId))
          .map((fields) => (fields ? shownLead(fields) : null)),
      );
  const shown = leads.map((one) => (one && !may('leads:read') ? { id: one['id'] } : one));
  if (!shown.some((one) => same(one, lead))) {
    throw new Violation('The lead of an inquiry must be as it was stored', {
      expected: shown,
      observed: lead,
    });
  }
}

export const plans: readonly WeightedPlan[] = [[createInquiry, 10]];
