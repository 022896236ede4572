import { inquirySources } from '../../../../shared/contract/inquiries.ts';
import { someIfNoneMatch } from '../conditions.ts';
import { notFound } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { checkPage } from '../pages.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { asQuery, someId, someNumber, somePage, type Planner } from '../planner.ts';
import { only, same, without, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { ofLead, ofSource, ofTag, ofUnread, shownInquiry } from './inquiries.ts';
import { checkThread } from './threads.ts';

/** Tags of inquiries. The name of a list may look like part of a key. */
export const tags = ['Hot water', 'hot water', 'Quote', 'a#000000000001', '水'] as const;

/** An inquiry as a list shows it, without the fields that `expand` adds. */
const listed = (inquiry: Fields) => ({
  ...without(shownInquiry(inquiry), 'givenEmail', 'givenPhone'),
  sourceId: inquiry['sourceId'],
});
const infoOf = (lead: Fields | undefined) =>
  lead ? only(lead, 'id', 'firstName', 'lastName', 'email', 'phone') : null;

/** Filter of a list: by lead, by source, by both, unread ones, by tag, or none. */
interface Filter {
  lead?: number | undefined;
  source?: string | undefined;
  isRead?: false;
  tag?: string;
}

function someFilter(planner: Planner): Filter {
  const { draw } = planner;
  if (draw.happens(0.2)) return { isRead: false };
  if (draw.happens(0.2)) return { tag: draw.pick(tags) };
  return {
    lead: draw.happens(0.5) ? someNumber(planner, 'LEAD') : undefined,
    source: draw.happens(0.5) ? draw.pick(inquirySources) : undefined,
  };
}

export function listInquiries(planner: Planner): Plan {
  const { draw, organization } = planner;
  const { lead, source, isRead, tag } = someFilter(planner);
  const expand = draw.happens(0.6) ? draw.pick(['external', 'lead', 'both']) : undefined;
  const name =
    lead !== undefined
      ? ofLead(organization, lead, source)
      : source !== undefined
        ? ofSource(organization, source)
        : isRead === false
          ? ofUnread(organization)
          : tag !== undefined
            ? ofTag(organization, tag)
            : `ORG#${organization.code}#INQUIRY`;
  const list = organization.list(name);
  const query = somePage(planner, list.count);
  const withLead = expand === 'lead' || expand === 'both';
  const withExternal = expand === 'external' || expand === 'both';
  const statesIn = (window: Window) => {
    // The state of a tag's list is stored in an item of its own.
    if (tag !== undefined) return window.statesByOwner(list);
    if (lead === undefined) return window.statesByHead(list);
    return window.statesOwned(list, ['LEAD', lead]);
  };
  return {
    operation: [
      'listInquiries',
      ...(lead === undefined ? [] : ['of lead']),
      ...(source === undefined ? [] : ['of source']),
      ...(isRead === undefined ? [] : ['unread']),
      ...(tag === undefined ? [] : ['of tag']),
    ].join(' '),
    organization,
    call: {
      endpoint: 'listInquiries',
      query: {
        ...asQuery(query),
        ...(lead !== undefined && { leadId: organization.idOf('LEAD', lead) }),
        ...(source !== undefined && { source }),
        ...(isRead !== undefined && { isRead: 'false' }),
        ...(tag !== undefined && { tag }),
        ...(expand !== undefined && { expand }),
      },
    },
    check: (body, window, { may }) => {
      checkPage(body, window, {
        list,
        states: statesIn(window),
        collection: 'INQUIRY',
        key: 'inquiries',
        query,
        fromIndex: name !== `ORG#${organization.code}#INQUIRY`,
        numberOf: (id) => organization.numberOf('INQUIRY', id),
        shown: (inquiry) => ({
          ...listed(inquiry),
          ...(withExternal && { externalInquiryId: inquiry['externalId'] }),
        }),
        compared: (item) => {
          if (withLead) checkLeadOf(item, window, may('leads:read'));
          return withLead ? without(item, 'lead') : item;
        },
      });
    },
  };
}

/**
 * Checks the lead of an item: a value of this time, its id, or null if the lead was gone. @throws Violation
 */
function checkLeadOf(item: Fields, window: Window, mayRead: boolean): void {
  const number = window.organization.numberOf('LEAD', item['leadId']);
  const expected = window
    .records('LEAD', number)
    .map((lead) => (mayRead || !lead ? infoOf(lead) : { id: lead['id'] }));
  if (!expected.some((info) => same(info, item['lead']))) {
    throw new Violation('expand=lead must show a value of the lead in the window', {
      expected,
      observed: item['lead'],
    });
  }
}

/**
 * Checks an inquiry as `getInquiry` shows it: one of these values, with the data of its source. @throws
 * Violation
 */
export function checkInquiry({ data, ...inquiry }: Fields, window: Window, values: readonly Fields[]): void {
  const { organization } = window;
  const value = values.find((one) => same(shownInquiry(one), inquiry));
  if (!value) {
    throw new Violation('An inquiry must have a value of the window', {
      expected: values,
      observed: inquiry,
    });
  }
  const source = value['source'] as string;
  if (source === 'SMS') {
    checkThread(data as Fields, Number(value['sourceId']), window);
    return;
  }
  const expected = window.present(source, organization.numberOf(source, value['sourceId']));
  if (!expected.some((one) => same(one, data)))
    throw new Violation('An inquiry must show the data of its source', { expected, observed: data });
}

export function getInquiry(planner: Planner): Plan {
  const { organization } = planner;
  const inquiryId = someId(planner, 'INQUIRY');
  const number = organization.numberOf('INQUIRY', inquiryId);
  const { headers, tags: known } = someIfNoneMatch(planner, 'inquiry', inquiryId);
  return {
    operation: 'getInquiry',
    organization,
    call: { endpoint: 'getInquiry', params: { inquiryId }, headers },
    ifNoneMatch: known,
    check: (body, window) => {
      checkInquiry(body as Fields, window, window.present('INQUIRY', number));
    },
    refusals: (window) => (window.canMiss('INQUIRY', number) ? [notFound('inquiry')] : []),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getInquiry, 5],
  [listInquiries, 10],
];
