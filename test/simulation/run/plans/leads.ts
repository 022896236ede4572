import { noAddress } from '../../../../shared/contract/address.ts';
import type { Change, Joined } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { countInPipeline, leadStatuses } from '../model/pipeline.ts';
import { invalid, notFound, Refused } from '../model/refusal.ts';
import type { TagList } from '../model/tags.ts';
import { listing, listOf } from '../pages.ts';
import { changing, once, type Plan, type WeightedPlan } from '../plan.ts';
import {
  someId,
  someIfMatch,
  someIfNoneMatch,
  someNumber,
  someUniqueWord,
  type Planner,
} from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import {
  someEmail,
  someExternalId,
  someFirstName,
  someLastName,
  somePhone,
  storedNumber,
} from './contacts.ts';

/** List of a lead's activities. */
const activitiesOf = (organization: OrganizationModel, lead: number) =>
  organization.partitionOf('gsi1', 'EVENT', { owner: ['LEAD', lead] });

/** Lets an event join a lead's list of activities. */
export const inActivities = (organization: OrganizationModel, lead: number): Joined => [
  'gsi1',
  activitiesOf(organization, lead),
];

/** Opt-out of a number in E.164; undefined if there is none, or for `""`. */
export function optOutOf(change: Change, phone: unknown): Fields | undefined {
  const { organization } = change;
  if (phone === '' || change.count('OPTOUT') === 0) return undefined;
  const name = organization.uniqueName('OPTOUT.numberHash', change.hashed(String(phone)));
  const held = organization.history(name).last;
  return held && organization.record('OPTOUT', Number(held.fields['id']));
}

/** True if a number, in E.164 or `""`, has opted out of SMS. */
export const isOptedOut = (change: Change, phone: unknown): boolean => optOutOf(change, phone) !== undefined;

/** A lead as the API shows it. */
export const shownLead = ({ address, ...lead }: Fields): Fields => ({
  ...without(lead, 'flaggedInquiries', 'newestThreadId', 'importKey'),
  address: { ...(address as Fields), suburb: lead['suburb'] },
});

const noParts = without(noAddress, 'suburb');

/** Suburb and address of a lead with the parts that a body gives, as they are stored. */
export function placeWith(known: Fields, { suburb, address = {} }: Fields): Fields {
  const { suburb: part, ...parts } = address as Fields;
  const { suburb: before = '', address: others = noParts } = known;
  return { suburb: suburb ?? part ?? before, address: { ...(others as Fields), ...parts } };
}

/** Some parts of an address, in which a suburb may stand. */
export const someAddress = (planner: Planner): Fields => ({
  line1: planner.draw.pick(['12 Bay Street', someUniqueWord(planner)]),
  ...(planner.draw.happens(0.5) && { postcode: planner.draw.pick(['2040', '']) }),
  ...(planner.draw.happens(0.3) && { suburb: planner.draw.pick(['Leichhardt', 'Newtown', '']) }),
});

/** Creates a lead. Some have another lead's email, phone number or `externalId`. */
export function createLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const lastName = someLastName(planner);
  const given = {
    firstName: someFirstName(planner),
    ...(lastName && { lastName }),
    ...(draw.happens(0.3) && {
      ...(draw.happens(0.5) ? { suburb: 'Leichhardt' } : { address: someAddress(planner) }),
      businessName: draw.pick(['Lee & Co', someUniqueWord(planner)]),
      socials: { x: '@lee' },
      status: draw.pick(leadStatuses),
    }),
  };
  const email = draw.happens(0.6) ? someEmail(planner) : '';
  const phone = draw.happens(0.5) ? somePhone(planner) : '';
  const externalId = draw.happens(0.3) ? someExternalId(planner) : '';
  const contacts = { ...(email && { email }), ...(phone && { phone }), ...(externalId && { externalId }) };
  const body = { ...given, ...contacts };
  const stored = () => (phone === '' ? '' : storedNumber(phone, organization.country));
  return {
    operation: 'createLead',
    organization,
    call: { endpoint: 'createLead', body: JSON.stringify(body) },
    stages: once((change) => {
      const lead = addLead(change, { ...given, lastName, email, externalId, phone: stored() });
      return { lead: shownLead(lead) };
    }),
  };
}

/** Adds a lead and returns it as stored. */
export function addLead(change: Change, given: Fields): Fields {
  const { suburb, address, businessName = '', socials = {}, externalId = '', ...more } = given;
  const { status = 'pending', read = false, ...person } = more;
  const { organization, now } = change;
  const hasOptedOut = isOptedOut(change, person['phone']);
  const number = change.next('LEAD');
  const fields = {
    id: organization.idOf('LEAD', number),
    ...placeWith({}, { suburb, address }),
    ...{ ...person, businessName, socials, externalId, status, read },
    ...{ createdAt: now, updatedAt: now, lastInquiryId: null, lastInquiryDate: null },
    ...{
      unreadEmails: 0,
      unreadCalls: 0,
      unreadChatbotThreads: 0,
      unreadSMS: 0,
      unreadWebformSubmissions: 0,
    },
    ...{ hasFlaggedInquiry: false, flaggedInquiries: 0, isOptedOut: hasOptedOut },
  };
  const lead = change.append('LEAD', () => fields);
  countInPipeline(change, 'created');
  const activity = inActivities(organization, number);
  change.event('LEAD_CREATED', 'The lead was created', fields.id, [activity]);
  return lead;
}

/** Changes a lead: its personal data, its status, or whether it is read. */
export function updateLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = organization.numberOf('LEAD', leadId);
  const { headers, tags } = someIfMatch(planner, 'lead', leadId);
  const given = someChanges(planner);
  return {
    operation: 'updateLead',
    organization,
    call: { endpoint: 'updateLead', params: { leadId }, body: JSON.stringify(given), headers },
    ...changingLead(organization, { number, tags, given }),
  };
}

/** Random changes of a lead. */
export function someChanges(planner: Planner): Fields {
  const { draw } = planner;
  return {
    ...(draw.happens(0.2) && { firstName: draw.happens(0.1) ? '' : someFirstName(planner) }),
    ...(draw.happens(0.1) && { lastName: someLastName(planner) }),
    ...(draw.happens(0.15) && { email: draw.happens(0.2) ? '' : someEmail(planner) }),
    ...(draw.happens(0.15) && { phone: draw.happens(0.2) ? '' : somePhone(planner) }),
    ...(draw.happens(0.3) && {
      ...draw.pick<Fields>([
        { suburb: draw.pick(['Leichhardt', 'Newtown', '']) },
        { address: someAddress(planner) },
      ]),
    }),
    ...(draw.happens(0.1) && { businessName: draw.pick(['Annex', 'Éclair', '']) }),
    ...(draw.happens(0.1) && { socials: draw.pick([{}, { x: '@ann' }]) }),
    ...(draw.happens(0.15) && { externalId: draw.happens(0.2) ? '' : someExternalId(planner) }),
    ...(draw.happens(0.6) && { status: draw.pick(leadStatuses) }),
    ...(draw.happens(0.3) && { read: draw.happens(0.7) }),
  };
}

/** Expectations of a request that changes a lead as given. */
export const changingLead = (
  { country }: OrganizationModel,
  { number, tags, given }: { number: number; tags: TagList; given: Fields },
) =>
  changing({
    ...{ collection: 'LEAD', number, label: 'lead', tags, shown: shownLead },
    changed: (before) => {
      const { phone } = given;
      const stored = phone && storedNumber(phone as string, country);
      const after: Fields = {
        ...{ ...before, ...given, ...placeWith(before, given) },
        ...(stored !== undefined && { phone: stored }),
      };
      if (after['firstName'] === '' && before['firstName'] !== '') {
        throw new Refused(invalid);
      }
      return after;
    },
    store: (change, before, after) => storeLead(change, number, before, after),
  });

/** Stores a changed lead, and its events. */
function storeLead(change: Change, number: number, before: Fields, after: Fields): Fields {
  const { organization, now } = change;
  const { phone, status } = after;
  const lead: Fields = {
    ...after,
    ...(phone !== before['phone'] && { isOptedOut: isOptedOut(change, phone) }),
    updatedAt: now,
  };
  change.replace('LEAD', number, lead);
  const id = String(lead['id']);
  const activity = inActivities(organization, number);
  const isMoved = status !== before['status'];
  const isChanged = !same(without(before, 'status', 'read'), without(after, 'status', 'read'));
  if (isChanged) change.event('LEAD_UPDATED', 'The lead was changed', id, [activity]);
  if (isMoved) {
    countInPipeline(change, status as (typeof leadStatuses)[number]);
    const values = { from: before['status'], to: status };
    const data = `Status changed from ${String(values.from)} to ${String(values.to)}`;
    change.event('LEAD_STATUS_CHANGED', { data, values }, id, [activity]);
  }
  if (!isChanged && !isMoved) {
    const mark = after['read'] ? 'read' : 'unread';
    change.event('LEAD_MARKED', `The lead was marked as ${mark}`, id);
  }
  return lead;
}

export function deleteLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = organization.numberOf('LEAD', leadId);
  const { headers, tags } = someIfMatch(planner, 'lead', leadId);
  return {
    operation: 'deleteLead',
    organization,
    call: { endpoint: 'deleteLead', params: { leadId }, headers },
    stages: once((change) => {
      const before = change.get('LEAD', number);
      if (!before) throw new Refused(notFound);
      tags.check(shownLead(before));
      change.remove('LEAD', number);
      change.event('LEAD_DELETED', 'The lead was deleted', leadId);
      organization.lastDeleted = number;
      return { message: 'Lead deleted successfully' };
    }),
  };
}

export function getLead(planner: Planner): Plan {
  const { organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = organization.numberOf('LEAD', leadId);
  const { headers, tags } = someIfNoneMatch(planner, 'lead', leadId);
  return {
    operation: 'getLead',
    organization,
    call: { endpoint: 'getLead', params: { leadId }, headers },
    ifNoneMatch: tags,
    unchanged: (window) => window.present('LEAD', number).map((lead) => ({ lead: shownLead(lead) })),
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound] : []),
  };
}

export const listLeads = (planner: Planner) =>
  listOf(planner, 'listLeads', { collection: 'LEAD', key: 'leads', shown: shownLead });

export function listLeadActivities(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'LEAD');
  const leadId = organization.idOf('LEAD', number);
  const list = organization.list(activitiesOf(organization, number));
  return listing(planner, {
    operation: 'listLeadActivities',
    params: { leadId },
    ...{ list, states: (window) => window.statesByOwner(list) },
    ...{ collection: 'EVENT', key: 'activities', fromIndex: true },
    shown: ({ values, tokenId, requestId, ...event }) => ({ ...event, leadId }),
    refusals: (window) => (window.canMiss('LEAD', number) ? [notFound] : []),
  });
}

export const plans: readonly WeightedPlan[] = [
  [createLead, 10],
  [deleteLead, 4],
  [getLead, 5],
  [listLeadActivities, 6],
  [listLeads, 6],
  [updateLead, 9],
];
