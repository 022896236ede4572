import type { Change } from '../model/change.ts';
import { numberIn, padded } from '../model/ids.ts';
import { notFound, Refused, taken } from '../model/refusal.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Versions, Window } from '../model/window.ts';
import { checkPage } from '../pages.ts';
import { once, type Plan } from '../plan.ts';
import { asQuery, inSomeCase, someId, someNumber, somePage, type Planner } from '../planner.ts';
import { without, type Fields } from '../same.ts';

/** A lead as the API shows it. */
export const shownLead = (lead: Fields) => without(lead, 'activityCount', 'inquiryCounts');

/** The list of a lead's activities. */
export const activitiesOf = (organization: OrganizationModel, lead: number) =>
  organization.list(`ORG#${organization.code}#LEAD#${padded(lead)}#EVENT`);

/** Phone numbers as clients write them, and in E.164. */
export function somePhone({ draw, organization, variety }: Planner): { written: string; stored: string } {
  const digits = String(draw.whole(0, variety)).padStart(5, '0');
  const [nation, area] = organization.country === 'NZ' ? ['64', '2112'] : ['61', '4915'];
  const tail = digits.slice(0, 5);
  return {
    written: draw.pick([`0${area}${tail}`, `+${nation}${area}${tail}`, `+${nation} ${area} ${tail}`]),
    stored: `+${nation}${area}${tail}`,
  };
}

/** Creates a lead, now and then with an email or phone number that another has. */
export function createLead(planner: Planner): Plan {
  const { draw, organization, variety } = planner;
  const email = draw.happens(0.6) ? inSomeCase(planner, `ann${draw.whole(1, variety)}@example.com`) : '';
  const phone = draw.happens(0.5) ? somePhone(planner) : undefined;
  const [firstName, lastName] = [`Ann${draw.whole(1, 99)}`, draw.pick(['', 'Lee', 'de la Cruz'])];
  const given = draw.happens(0.5)
    ? { name: `${firstName} ${lastName}` }
    : { firstName, ...(lastName && { lastName }) };
  const more: Fields = draw.happens(0.3)
    ? { suburb: 'Leichhardt', businessName: 'Lee & Co', socials: { x: '@lee' }, status: 'active' }
    : {};
  const body = { ...given, ...more, ...(email && { email }), ...(phone && { phone: phone.written }) };
  const stored = phone?.stored ?? '';
  return {
    operation: 'createLead',
    organization,
    call: { endpoint: 'createLead', body: JSON.stringify(body) },
    stages: once((change) => {
      const lead = addLead(change, { firstName, lastName, email, phone: stored, ...more });
      return { lead: shownLead(lead) };
    }),
    refusals: (window) =>
      [
        ['email', email],
        ['phone', stored],
      ].flatMap(([field = '', value = '']) =>
        value === ''
          ? []
          : holders(window, organization.uniqueName(`LEAD.${field}`, value), `lead has this ${field}`),
      ),
  };
}

/** The refusals for a unique value that others can have. */
export function holders(
  window: Window,
  name: string,
  sentence: string,
  own?: unknown,
  versions: Versions = { from: 0, to: Infinity },
) {
  return window
    .valuesWithin(name, versions)
    .flatMap((stored) =>
      stored && stored.fields['id'] !== own ? [stored.fields['id'] as string | number] : [],
    )
    .map((id) => taken(sentence, id));
}

function addLead(change: Change, given: Fields): Fields {
  const { suburb = '', businessName = '', socials = {}, status = 'pending', ...person } = given;
  const number = change.next('LEAD');
  const lead = change.append('LEAD', () => ({
    id: change.organization.idOf('LEAD', number),
    ...person,
    suburb,
    businessName,
    socials,
    status,
    createdAt: change.now,
    read: false,
    lastInquiryId: null,
    lastInquiryDate: null,
    unreadEmails: 0,
    unreadCalls: 0,
    unreadChatbotThreads: 0,
    unreadSMS: 0,
    unreadWebformSubmissions: 0,
    hasFlaggedInquiry: false,
    activityCount: 1,
    inquiryCounts: {},
  }));
  change.event('LEAD_CREATED', 'The lead was created', lead['id'] as string, number);
  return lead;
}

export function deleteLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = numberIn(leadId, 'lead', organization.code);
  return {
    operation: 'deleteLead',
    organization,
    call: { endpoint: 'deleteLead', params: { leadId } },
    stages: once((change) => {
      if (!change.get('LEAD', number)) throw new Refused(notFound('lead'));
      change.remove('LEAD', number);
      change.event('LEAD_DELETED', 'The lead was deleted', leadId);
      return { message: 'Lead deleted successfully' };
    }),
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound('lead')] : []),
  };
}

export function getLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = numberIn(leadId, 'lead', organization.code);
  return {
    operation: 'getLead',
    organization,
    call: { endpoint: 'getLead', params: { leadId } },
    unchanged: (window) => window.present('LEAD', number).map((lead) => ({ lead: shownLead(lead) })),
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound('lead')] : []),
  };
}

/** A page of a collection as its records are stored, or as `shown` makes them. */
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
  const list = activitiesOf(organization, number);
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
        shown: (event) => ({ ...event, leadId }),
      });
    },
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound('lead')] : []),
  };
}
