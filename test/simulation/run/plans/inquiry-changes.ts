import type { InquirySource } from '../../../../shared/contract/inquiries.ts';
import { someIfMatch } from '../conditions.ts';
import type { Change } from '../model/change.ts';
import { notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { someId, someUniqueWord, withNulls, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { listsOf, shownInquiry, unreadCounts } from './inquiries.ts';
import { checkInquiry, tags as someTags } from './inquiry-reads.ts';
import { threadsIn } from './threads.ts';

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
  const { headers, tags } = someIfMatch(planner, 'inquiry', inquiryId);
  const changes: Fields = {
    ...(draw.happens(0.5) && { isRead: draw.happens(0.6) }),
    ...(draw.happens(0.4) && { isFlagged: draw.happens(0.6) }),
    ...(draw.happens(0.3) && { tag: draw.pick(['', ...someTags]) }),
    ...(draw.happens(0.2) && { summary: `Version ${draw.whole(1, 9)} ${someUniqueWord(planner)}` }),
  };
  const fits = (window: Window) => (inquiry: Fields) =>
    bodiesIn(window, inquiry).some((body) => tags.fits(body));
  return {
    operation: 'updateInquiry',
    organization,
    call: {
      endpoint: 'updateInquiry',
      params: { inquiryId },
      body: JSON.stringify(withNulls(planner, changes, ...['isRead', 'isFlagged', 'tag', 'summary'])),
      headers,
    },
    stages: once((change) => {
      const before = change.get('INQUIRY', number);
      if (!before) throw new Refused(notFound('inquiry'));
      const source = before['source'] as string;
      // A thread is read through an index, which lags: the response is checked against that.
      if (source !== 'SMS') {
        const data = organization.record(source, organization.numberOf(source, before['sourceId']));
        tags.check({ ...shownInquiry(before), data });
      }
      const changed: Fields = { ...before, ...changes };
      const isSummaryNew = changed['summary'] !== before['summary'];
      const after: Fields = { ...changed, ...(isSummaryNew && { isSummaryGiven: true }) };
      if (same(before, after)) throw new Refused({ status: 200, message: 'nothing changes' });
      const stored = { ...after, updatedAt: change.now };
      change.replace('INQUIRY', number, stored, listsOf(organization, stored));
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
        throw new Violation('An inquiry may change only if If-Match names its tag', {
          expected: 412,
          observed: body,
        });
      }
      if (may('inquiries:read')) checkInquiry(body as Fields, window, values);
      else if (!values.some(({ id }) => same({ id }, body))) {
        throw new Violation('A token that may not read inquiries must get only the id', {
          expected: values,
          observed: body,
        });
      }
    },
    refusals: (window) => [
      ...(window.canMiss('INQUIRY', number) ? [notFound('inquiry')] : []),
      ...window.present('INQUIRY', number).flatMap((inquiry) => tags.refusalsOf(bodiesIn(window, inquiry))),
    ],
  };
}

export const plans: readonly WeightedPlan[] = [[updateInquiry, 7]];
