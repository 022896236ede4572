import type { Change, Joined } from '../model/change.ts';
import { numberIn } from '../model/ids.ts';
import { countInPipeline, inStatus, leadStatuses } from '../model/pipeline.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { storedNumber } from '../model/phone-numbers.ts';
import { notFound, Refused, refusalsOf, taken, type ErrorResponse } from '../model/refusal.ts';
import { foreignNames } from '../model/search-text.ts';
import { uniquesOf } from '../model/uniques.ts';
import type { Versions, Window } from '../model/window.ts';
import { someIfMatch, someIfNoneMatch } from '../conditions.ts';
import { checkPage } from '../pages.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import {
  asQuery,
  inSomeCase,
  inSpace,
  someId,
  someUniqueWord,
  someNumber,
  somePage,
  withNulls,
  type Planner,
} from '../planner.ts';
import { without, type Fields } from '../same.ts';
import { isOptedOut } from '../model/opt-outs.ts';

/** List of a lead's activities. */
const activitiesOf = (organization: OrganizationModel, lead: number) =>
  organization.partitionOf('gsi1', 'EVENT', { owner: ['LEAD', lead] });

/** Lets an event join a lead's list of activities. */
export const inActivities = (organization: OrganizationModel, lead: number): Joined => [
  'gsi1',
  activitiesOf(organization, lead),
];

/** A phone number in one of the ways that clients write it; sometimes an invalid one. */
export function somePhone({ draw, organization, variety }: Planner): string {
  const digits = String(draw.whole(0, variety)).padStart(5, '0');
  const [nation, area] = organization.country === 'NZ' ? ['64', '2112'] : ['61', '4915'];
  const national = `${area}${digits}`;
  if (draw.happens(0.05)) return draw.pick(['12345', `0${national}999`, '+999 123', `0${national} ext. 3`]);
  return draw.pick([
    `0${national}`,
    `(0${area}) ${digits}`,
    `+${nation}${national}`,
    `+${nation} ${area} ${digits}`,
    `00${nation}${national}`,
    `0011 ${nation} ${area}-${digits}`,
    // As an address book writes it.
    `\u202A+${nation} ${area} ${digits}\u202C`,
  ]);
}

/** An email address that other leads may have too. */
export const someEmail = (planner: Planner): string =>
  inSomeCase(
    planner,
    `ann${planner.draw.pick(['', '+'])}${planner.draw.whole(1, planner.variety)}@example.com`,
  );

export const someFirstName = ({ draw }: Planner): string =>
  `${draw.happens(0.4) ? 'Ann' : draw.pick(foreignNames)}${draw.whole(1, 99)}`;

export const someLastName = ({ draw }: Planner): string =>
  draw.pick(['', 'Lee', 'de la Cruz', 'Ólafsdóttir', `Annan${draw.whole(1, 9)}`]);

/** A lead as the API shows it. */
export const shownLead = (lead: Fields): Fields => without(lead, 'flaggedInquiries', 'importKey');

/** Creates a lead. Some have another lead's email or phone number. */
export function createLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const email = draw.happens(0.6) ? someEmail(planner) : '';
  const phone = draw.happens(0.5) ? somePhone(planner) : '';
  const [firstName, lastName] = [someFirstName(planner), someLastName(planner)];
  const given = draw.happens(0.5)
    ? { name: `${firstName} ${lastName}` }
    : { firstName: inSpace(planner, firstName), ...(lastName && { lastName }) };
  const more: Fields = draw.happens(0.3)
    ? {
        suburb: 'Leichhardt',
        businessName: draw.pick(['Lee & Co', someUniqueWord(planner)]),
        socials: { x: '@lee' },
        status: draw.pick(leadStatuses),
      }
    : {};
  const body = withNulls(
    planner,
    { ...given, ...more, ...(email && { email }), ...(phone && { phone }) },
    ...['email', 'phone', 'suburb', 'businessName', 'socials', 'status'],
  );
  const stored = () => (phone === '' ? '' : storedNumber(phone, organization.country, 'phone'));
  return {
    operation: 'createLead',
    organization,
    call: { endpoint: 'createLead', body: JSON.stringify(body) },
    stages: once((change) => {
      const lead = addLead(change, { firstName, lastName, email, phone: stored(), ...more });
      return { lead: shownLead(lead) };
    }),
    refusals: (window) => {
      const wrong = refusalsOf(stored);
      return wrong.length > 0 ? wrong : takenIn(window, 'LEAD', { email, phone: stored() });
    },
  };
}

/** Errors for unique values that other records have. `own` is the id of the record if it exists already. */
export function takenIn(
  window: Window,
  collection: string,
  record: Fields,
  { own, versions = { from: 0, to: Infinity } }: { own?: unknown; versions?: Versions } = {},
): ErrorResponse[] {
  return uniquesOf(window.organization, collection, record).flatMap(({ name, field, sentence }) =>
    window
      .valuesWithin(name, versions)
      .flatMap((stored) =>
        stored && stored.fields['id'] !== own ? [stored.fields['id'] as string | number] : [],
      )
      .map((id) => taken(sentence, field, id)),
  );
}

/** Adds a lead and returns it as stored. */
export function addLead(change: Change, given: Fields): Fields {
  const { suburb = '', businessName = '', socials = {}, status = 'pending', read = false, ...person } = given;
  const { organization, now } = change;
  const hasOptedOut = isOptedOut(change, person['phone']);
  const number = change.next('LEAD');
  const fields = {
    id: organization.idOf('LEAD', number),
    ...person,
    suburb,
    businessName,
    socials,
    status,
    createdAt: now,
    updatedAt: now,
    read,
    lastInquiryId: null,
    lastInquiryDate: null,
    unreadEmails: 0,
    unreadCalls: 0,
    unreadChatbotThreads: 0,
    unreadSMS: 0,
    unreadWebformSubmissions: 0,
    hasFlaggedInquiry: false,
    flaggedInquiries: 0,
    isOptedOut: hasOptedOut,
  };
  const lead = change.append('LEAD', () => fields, [inStatus(organization, status)]);
  countInPipeline(change, 'created');
  const activity = inActivities(organization, number);
  change.event('LEAD_CREATED', 'The lead was created', fields.id, [activity]);
  return lead;
}

export function deleteLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = numberIn(leadId, 'lead', organization.code);
  const { headers, tags } = someIfMatch(planner, 'lead', leadId);
  return {
    operation: 'deleteLead',
    organization,
    call: { endpoint: 'deleteLead', params: { leadId }, headers },
    stages: once((change) => {
      const before = change.get('LEAD', number);
      if (!before) throw new Refused(notFound('lead'));
      tags.check(shownLead(before));
      change.remove('LEAD', number);
      change.event('LEAD_DELETED', 'The lead was deleted', leadId);
      organization.lastDeleted = number;
      return { message: 'Lead deleted successfully' };
    }),
    refusals: (window) => [
      ...(window.canMiss('LEAD', number) ? [notFound('lead')] : []),
      ...tags.refusalsOf(window.present('LEAD', number).map(shownLead)),
    ],
  };
}

export function getLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = numberIn(leadId, 'lead', organization.code);
  const { headers, tags } = someIfNoneMatch(planner, 'lead', leadId);
  return {
    operation: 'getLead',
    organization,
    call: { endpoint: 'getLead', params: { leadId }, headers },
    ifNoneMatch: tags,
    unchanged: (window) => window.present('LEAD', number).map((lead) => ({ lead: shownLead(lead) })),
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound('lead')] : []),
  };
}

/** Reads a page of a collection. Its records are as stored, or as `shown` changes them. */
export function listOf(
  planner: Planner,
  operation: string,
  {
    collection,
    key,
    shown = (fields) => fields,
  }: { collection: string; key: string; shown?: (fields: Fields) => Fields },
): Plan {
  const { organization } = planner;
  const list = organization.collection(collection);
  const query = somePage(planner, list.count);
  return {
    operation,
    organization,
    call: { endpoint: operation, query: asQuery(query) },
    check: (body, window) => {
      const states = window.statesByHead(list);
      const numberOf = (id: unknown) =>
        typeof id === 'number' ? id : numberIn(id, 'lead', organization.code);
      checkPage(body, window, { list, states, collection, key, query, fromIndex: false, numberOf, shown });
    },
  };
}

export const listLeads = (planner: Planner) =>
  listOf(planner, 'listLeads', { collection: 'LEAD', key: 'leads', shown: shownLead });

export function listLeadActivities(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'LEAD');
  const leadId = organization.idOf('LEAD', number);
  const list = organization.list(activitiesOf(organization, number));
  const query = somePage(planner, list.count);
  return {
    operation: 'listLeadActivities',
    organization,
    call: { endpoint: 'listLeadActivities', params: { leadId }, query: asQuery(query) },
    check: (body, window) => {
      checkPage(body, window, {
        list,
        states: window.statesByOwner(list),
        collection: 'EVENT',
        key: 'activities',
        query,
        fromIndex: true,
        numberOf: Number,
        shown: ({ values, ...event }) => ({ ...event, leadId }),
      });
    },
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound('lead')] : []),
  };
}

export const plans: readonly WeightedPlan[] = [
  [createLead, 10],
  [deleteLead, 4],
  [getLead, 5],
  [listLeadActivities, 6],
  [listLeads, 6],
];
