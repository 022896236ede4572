import { createInquiry as store, type NewInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import type { Change, Joined } from '../model/change.ts';
import { numberIn } from '../model/ids.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { checkPage } from '../pages.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { asQuery, someId, someNumber, somePage, type Planner } from '../planner.ts';
import { only, same, without, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { inquirySources, type InquirySource } from '../../../../shared/contract/inquiries.ts';
import { sampleSources } from '../../../support/inquiries.ts';
import { inActivities } from './leads.ts';
import { addMessage, addThread, checkThread } from './threads.ts';

const unreadCounts: Record<InquirySource, string> = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
};

const arrivals: Record<InquirySource, string> = {
  CALL: 'There was a call',
  EMAIL: 'An email came in',
  CHATBOT: 'There was a chat',
  SMS: 'A conversation by SMS began',
  WEBFORM: 'A web form was sent',
};

/** The list of a lead's inquiries, or of those of one source. */
const ofLead = (organization: OrganizationModel, lead: number, source?: string) =>
  organization.partitionOf(source === undefined ? 'gsi2' : 'gsi3', 'INQUIRY', {
    owner: ['LEAD', lead],
    name: source,
  });

const ofSource = (organization: OrganizationModel, source: string) =>
  organization.partitionOf('gsi1', 'INQUIRY', { name: source });

/** What an inquiry changes: its own record, that of its source, and its lead's. @throws Refused */
export function addInquiry(change: Change, lead: number, given: Fields & { source: InquirySource }): Fields {
  const { organization, now } = change;
  const { source, data, tag = '', summary, isRead = false, externalId = null } = given;
  const before = change.get('LEAD', lead);
  if (!before) throw new Refused(notFound('lead'));
  const number = change.next('INQUIRY');
  const id = organization.idOf('INQUIRY', number);
  const sourceId = addSource(change, source, data as Fields, { leadId: before['id'], inquiryId: id });
  const lists: Joined[] = [
    ['gsi1', ofSource(organization, source)],
    ['gsi2', ofLead(organization, lead)],
    ['gsi3', ofLead(organization, lead, source)],
  ];
  const isFirstInquiry = before['lastInquiryId'] === null;
  const own = { id, source, sourceId, tag, summary, isFirstInquiry, isRead };
  const inquiry = change.append(
    'INQUIRY',
    () => ({ ...own, leadId: before['id'], externalId, createdAt: now }),
    lists,
  );
  const unread = unreadCounts[source];
  change.replace('LEAD', lead, {
    ...before,
    lastInquiryId: id,
    lastInquiryDate: now,
    [unread]: Number(before[unread]) + (isRead ? 0 : 1),
  });
  change.event('INQUIRY_CREATED', arrivals[source], id, [inActivities(organization, lead)]);
  return inquiry;
}

function addSource(change: Change, source: InquirySource, data: Fields, of: Fields): string {
  if (source === 'SMS') {
    const thread = addThread(change, of);
    for (const message of data['messages'] as Fields[]) addMessage(change, thread, message);
    return String(thread);
  }
  const id = change.organization.idOf(source, change.next(source));
  change.append(source, () => ({ id, ...data }));
  return id;
}

/** An operator stores an inquiry of some source. */
export function createInquiry(planner: Planner): Plan {
  const { draw, organization } = planner;
  const lead = someNumber(planner, 'LEAD');
  const leadId = organization.idOf('LEAD', lead);
  const input = {
    ...sampleSources[draw.pick(inquirySources)],
    summary: `About ${draw.whole(1, 1000)}`,
    ...(draw.happens(0.3) && { tag: 'Hot water', isRead: true, externalId: `mail-${draw.whole(1, 99)}` }),
  } as NewInquiry;
  return {
    operation: `createInquiry ${input.source}`,
    organization,
    call: { verb: (ledger) => store(ledger, leadId, input) },
    stages: once((change) => addInquiry(change, lead, input)),
    refusals: (window) => (window.canMiss('LEAD', lead) ? [notFound('lead')] : []),
  };
}

/** An inquiry as a list shows it, without what `expand` adds. */
const listed = (inquiry: Fields) => without(inquiry, 'externalId');
const infoOf = (lead: Fields | undefined) =>
  lead ? only(lead, 'id', 'firstName', 'lastName', 'email', 'phone') : null;

export function listInquiries(planner: Planner): Plan {
  const { draw, organization } = planner;
  const lead = draw.happens(0.5) ? someNumber(planner, 'LEAD') : undefined;
  const source = draw.happens(0.5) ? draw.pick(inquirySources) : undefined;
  const expand = draw.happens(0.6) ? draw.pick(['external', 'lead', 'both']) : undefined;
  const name =
    lead !== undefined
      ? ofLead(organization, lead, source)
      : source !== undefined
        ? ofSource(organization, source)
        : `ORG#${organization.code}#INQUIRY`;
  const list = organization.list(name);
  const query = somePage(planner, list.count);
  const withLead = expand === 'lead' || expand === 'both';
  const withExternal = expand === 'external' || expand === 'both';
  const statesIn = (window: Window) => {
    if (lead === undefined) return window.statesByHead(list);
    // The inquiries of a lead that is gone are told by the index alone.
    return window.canMiss('LEAD', lead) ? window.statesByIndex(list) : window.statesByOwner(list);
  };
  return {
    operation: `listInquiries${lead === undefined ? '' : ' of lead'}${source === undefined ? '' : ' of source'}`,
    organization,
    call: {
      endpoint: 'listInquiries',
      query: {
        ...asQuery(query),
        ...(lead !== undefined && { leadId: organization.idOf('LEAD', lead) }),
        ...(source !== undefined && { source }),
        ...(expand !== undefined && { expand }),
      },
    },
    check: (body, window) => {
      checkPage(body, window, {
        list,
        states: statesIn(window),
        collection: 'INQUIRY',
        key: 'inquiries',
        query,
        fromIndex: lead !== undefined || source !== undefined,
        numberOf: (id) => numberIn(id, 'inquiry', organization.code),
        shown: (inquiry) => ({
          ...listed(inquiry),
          ...(withExternal && { externalInquiryId: inquiry['externalId'] }),
        }),
        compared: (item) => {
          if (withLead) checkLeadOf(item, window);
          return withLead ? without(item, 'lead') : item;
        },
      });
    },
  };
}

/** What an item says of its lead: a value of this time, or null where it was gone. @throws Violation */
function checkLeadOf(item: Fields, window: Window): void {
  const number = numberIn(item['leadId'], 'lead', window.organization.code);
  const expected = window.records('LEAD', number).map(infoOf);
  if (!expected.some((info) => same(info, item['lead']))) {
    throw new Violation('expand=lead must show a value of the lead of this time', {
      expected,
      seen: item['lead'],
    });
  }
}

export function getInquiry(planner: Planner): Plan {
  const { organization } = planner;
  const inquiryId = someId(planner, 'INQUIRY');
  const number = numberIn(inquiryId, 'inquiry', organization.code);
  return {
    operation: 'getInquiry',
    organization,
    call: { endpoint: 'getInquiry', params: { inquiryId } },
    check: (body, window) => {
      const { data, ...inquiry } = body as Fields;
      const values = window.present('INQUIRY', number);
      const value = values.find((one) => same(without(one, 'sourceId', 'externalId'), inquiry));
      if (!value)
        throw new Violation('An inquiry must have a value of this time', { expected: values, seen: body });
      if (value['source'] === 'SMS') {
        checkThread(data as Fields, Number(value['sourceId']), window);
        return;
      }
      const source = value['source'] as string;
      const prefix = source.toLowerCase();
      const sourceNumber = numberIn(value['sourceId'], prefix, organization.code);
      const expected = organization.record(source, sourceNumber);
      if (!same(expected, data))
        throw new Violation('An inquiry must show what its source recorded', { expected, seen: data });
    },
    refusals: (window) => (window.canMiss('INQUIRY', number) ? [notFound('inquiry')] : []),
  };
}

/** What is asked of this subject, and how often as a rule. */
export const plans: readonly WeightedPlan[] = [
  [createInquiry, 8],
  [getInquiry, 5],
  [listInquiries, 10],
];
