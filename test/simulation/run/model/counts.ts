import type { InquirySource } from '../../../../shared/contract/inquiries.ts';
import { leadStatuses } from '../../../../shared/contract/leads.ts';
import { emptyDay, parseDays } from '../../../../shared/domain/leads/pipeline-record.ts';
import type { Fields } from '../same.ts';
import type { Change } from './change.ts';
import { Refused } from './refusal.ts';

/** Field of a lead with the count of its unread inquiries, for each source. */
export const unreadCounts: Record<InquirySource, string> = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
};

const wrong = (what: string, expected: number) => new Refused(`${what} must change by ${expected}`);

/** A record before and after a change. */
interface Changed {
  number: number;
  before: Fields | undefined;
  after: Fields | undefined;
}

function changedOf(change: Change, collection: string): Changed[] {
  return [...change.items.values()].flatMap(({ record, stored }) =>
    record?.collection === collection
      ? [
          {
            number: record.number,
            before: change.organization.record(collection, record.number),
            after: stored?.fields,
          },
        ]
      : [],
  );
}

/** Number that an inquiry adds to a count of its lead. */
const addsTo = (field: string, inquiry: Fields | undefined): number => {
  if (!inquiry) return 0;
  if (field === 'flaggedInquiries') return Number(inquiry['isFlagged']);
  return unreadCounts[inquiry['source'] as InquirySource] === field ? 1 - Number(inquiry['isRead']) : 0;
};

/** Checks that leads count their inquiries, and a day what happened to leads. @throws Refused */
export function checkCounts(change: Change): void {
  const { organization } = change;
  const [leads, inquiries] = [changedOf(change, 'LEAD'), changedOf(change, 'INQUIRY')];
  for (const { number, before, after } of leads) {
    if (!after) continue;
    for (const field of [...Object.values(unreadCounts), 'flaggedInquiries']) {
      const added = inquiries
        .filter((one) => organization.numberOf('LEAD', (one.after ?? one.before)?.['leadId']) === number)
        .reduce((sum, one) => sum + addsTo(field, one.after) - addsTo(field, one.before), 0);
      if (Number(after[field]) - Number(before?.[field] ?? 0) !== added)
        throw wrong(`${field} of the lead ${number}`, added);
    }
  }
  // An inquiry fills in empty fields of its lead, and changes no other.
  const isOfInquiry = inquiries.some(({ before }) => !before);
  for (const { number, before, after } of isOfInquiry ? leads : [])
    for (const field of ['firstName', 'lastName', 'email', 'phone', 'businessName', 'externalId'])
      if (before?.[field] && after && after[field] !== before[field])
        throw new Refused(`an inquiry must leave ${field} of the lead ${number}`);
  const [days] = changedOf(change, 'PIPELINE');
  const [was, is] = [totalsOf(days?.before), totalsOf(days?.after)];
  const created = leads.filter(({ before, after }) => !before && after).length;
  const moved = leads.filter(({ before, after }) => before && after && before['status'] !== after['status']);
  const movedTo = leadStatuses.map(
    (status) => moved.filter(({ after }) => after?.['status'] === status).length,
  );
  for (const [column, added] of [created, ...movedTo].entries())
    if (is[column]! - was[column]! !== added) throw wrong(`the count ${column} of the days`, added);
}

/** Sums of the counts of all days, by column; none for a pipeline that is not there. */
const totalsOf = (pipeline: Fields | undefined): readonly number[] =>
  (pipeline ? parseDays(String(pipeline['days'])) : []).reduce(
    (sums, counts) => sums.map((sum, column) => sum + counts[column]!),
    emptyDay,
  );
