import { inquirySources, type InquirySource } from '../../../../shared/contract/inquiries.ts';
import type { Change } from '../model/change.ts';
import { unreadCounts } from '../model/counts.ts';
import { notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { listing } from '../pages.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import {
  someId,
  someIfMatch,
  someIfNoneMatch,
  someNumber,
  someUniqueWord,
  type Planner,
} from '../planner.ts';
import { only, same, without, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { checkThread, ofLead, ofSource, ofTag, ofUnread, shownInquiry, threadsIn } from './inquiries.ts';

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
  const { draw, organization } = planner;
  if (organization.lastErased > 0 && draw.happens(0.2)) return { lead: organization.lastErased };
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
  const withLead = expand === 'lead' || expand === 'both';
  const withExternal = expand === 'external' || expand === 'both';
  const filter = {
    ...(lead !== undefined && { leadId: organization.idOf('LEAD', lead) }),
    ...(source !== undefined && { source }),
    ...(isRead !== undefined && { isRead: 'false' }),
    ...(tag !== undefined && { tag }),
  };
  return listing(planner, {
    operation: ['listInquiries', ...Object.keys(filter)].join(' '),
    endpoint: 'listInquiries',
    filter: { ...filter, ...(expand !== undefined && { expand }) },
    list,
    states: (window) => {
      // The state of a tag's list is stored in an item of its own.
      if (tag !== undefined) return window.statesByOwner(list);
      if (lead === undefined) return window.statesByHead(list);
      return window.statesOwned(list, ['LEAD', lead]);
    },
    ...{ collection: 'INQUIRY', key: 'inquiries' },
    fromIndex: name !== `ORG#${organization.code}#INQUIRY`,
    shown: (inquiry) => ({
      ...listed(inquiry),
      ...(withExternal && { externalInquiryId: inquiry['externalId'] }),
    }),
    compared: (item, window, may) => {
      if (withLead) checkLeadOf(item, window, may('leads:read'));
      return withLead ? without(item, 'lead') : item;
    },
  });
}

/**
 * Checks the lead of an item: a value of this time, its id, or null if the lead was gone. @throws Violation
 */
function checkLeadOf(item: Fields, window: Window, mayRead: boolean): void {
  const number = window.organization.numberOf('LEAD', item['leadId']);
  const expected = window
    .records('LEAD', number)
    .map((lead) => (mayRead || !lead ? infoOf(lead) : { id: lead['id'] }));
  checkOneOf('expand=lead must show a value of the lead in the window', expected, item['lead']);
}

/**
 * Checks an inquiry as `getInquiry` shows it: one of these values, with the data of its source. @throws
 * Violation
 */
function checkInquiry({ data, ...inquiry }: Fields, window: Window, values: readonly Fields[]): void {
  const { organization } = window;
  const value = values.find((one) => same(shownInquiry(one), inquiry));
  if (!value) throw new Violation('An inquiry must have a value of the window', values, inquiry);
  const source = value['source'] as string;
  if (source === 'SMS') {
    checkThread(data as Fields, Number(value['sourceId']), window);
    return;
  }
  const expected = window.present(source, organization.numberOf(source, value['sourceId']));
  checkOneOf('An inquiry must show the data of its source', expected, data);
}

/** Checks an inquiry of a response: one of these, or only its id for a token that may not read it. */
export function checkVisible(
  inquiry: Fields,
  window: Window,
  values: readonly Fields[],
  may: (scope: string) => boolean,
): void {
  if (may('inquiries:read')) checkInquiry(inquiry, window, values);
  else {
    const ids = values.map(({ id }) => ({ id }));
    checkOneOf('A token that may not read inquiries must get only the id', ids, inquiry);
  }
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
    refusals: (window) => (window.canMiss('INQUIRY', number) ? [notFound] : []),
  };
}

/** Possible responses for an inquiry in this window, with the data of its source. */
function bodiesIn(window: Window, inquiry: Fields): Fields[] {
  const { organization } = window;
  const source = inquiry['source'] as string;
  const data =
    source === 'SMS'
      ? threadsIn(window, Number(inquiry['sourceId']))
      : window.present(source, organization.numberOf(source, inquiry['sourceId']));
  return data.map((one) => ({ ...shownInquiry(inquiry), data: one }));
}

/** Updates the counts of an inquiry's lead, if the lead still exists. */
function countInLead(change: Change, before: Fields, after: Fields): void {
  const number = change.organization.numberOf('LEAD', before['leadId']);
  const lead = change.get('LEAD', number);
  const isMarked = before['isRead'] !== after['isRead'];
  const isFlagChanged = before['isFlagged'] !== after['isFlagged'];
  if (!lead || (!isMarked && !isFlagChanged)) return;
  const unread = unreadCounts[before['source'] as InquirySource];
  const flagged = Number(lead['flaggedInquiries']) + Number(after['isFlagged']) - Number(before['isFlagged']);
  change.replace('LEAD', number, {
    ...lead,
    [unread]: Number(lead[unread]) + Number(before['isRead']) - Number(after['isRead']),
    flaggedInquiries: flagged,
    hasFlaggedInquiry: flagged > 0,
    updatedAt: change.now,
  });
}

/** Marks an inquiry as read, flags it, or changes its tag or summary. */
export function updateInquiry(planner: Planner): Plan {
  const { draw, organization } = planner;
  const inquiryId = someId(planner, 'INQUIRY');
  const number = organization.numberOf('INQUIRY', inquiryId);
  const { headers, tags: known } = someIfMatch(planner, 'inquiry', inquiryId);
  const changes: Fields = {
    ...(draw.happens(0.5) && { isRead: draw.happens(0.6) }),
    ...(draw.happens(0.4) && { isFlagged: draw.happens(0.6) }),
    ...(draw.happens(0.3) && { tag: draw.pick(['', ...tags]) }),
    ...(draw.happens(0.2) && { summary: `Version ${draw.whole(1, 9)} ${someUniqueWord(planner)}` }),
  };
  const fits = (window: Window) => (inquiry: Fields) =>
    bodiesIn(window, inquiry).some((body) => known.fits(body));
  return {
    operation: 'updateInquiry',
    organization,
    call: {
      endpoint: 'updateInquiry',
      params: { inquiryId },
      body: JSON.stringify(changes),
      headers,
    },
    stages: once((change) => {
      const before = change.get('INQUIRY', number);
      if (!before) throw new Refused(notFound);
      const source = before['source'] as string;
      // A thread is read through an index, which lags: the response is checked against that.
      if (source !== 'SMS') {
        const data = organization.record(source, organization.numberOf(source, before['sourceId']));
        known.check({ ...shownInquiry(before), data });
      }
      const changed: Fields = { ...before, ...changes };
      const isSummaryNew = changed['summary'] !== before['summary'];
      const after: Fields = { ...changed, ...(isSummaryNew && { isSummaryGiven: true }) };
      if (same(before, after)) throw new Refused(nothingChanges);
      const stored = { ...after, updatedAt: change.now };
      change.replace('INQUIRY', number, stored);
      countInLead(change, before, after);
      change.event('INQUIRY_UPDATED', 'The inquiry was changed', inquiryId);
      return { before, stored };
    }),
    check: (body, window, { made, may }) => {
      const done = made[0]?.response as { before: Fields; stored: Fields } | undefined;
      const values = done
        ? [done.stored]
        : window
            .present('INQUIRY', number)
            .filter(fits(window))
            .filter((before) => same(before, { ...before, ...changes }));
      if (done && !fits(window)(done.before)) {
        throw new Violation('An inquiry may change only if If-Match names its tag', 412, body);
      }
      checkVisible(body as Fields, window, values, may);
    },
    // The messages of a thread come from an index, which is as of no version.
    refusals: (window) =>
      window
        .present('INQUIRY', number)
        .filter(({ source }) => source === 'SMS')
        .flatMap((inquiry) => known.refusalsOf(bodiesIn(window, inquiry))),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getInquiry, 5],
  [listInquiries, 10],
  [updateInquiry, 7],
];
