import type { InquirySource } from '../../../../shared/contract/inquiries.ts';
import type { Change } from '../model/change.ts';
import { same, type Fields } from '../same.ts';
import { unreadCounts } from './inquiries.ts';
import { fillLead, givenBeside, type Sender } from './new-inquiries.ts';

/** Report of an inquiry that is stored already. */
interface LaterReport {
  /** Data of the inquiry's source with what the report adds. The lead is undefined if it was deleted. */
  dataWith: (known: Fields, lead: Fields | undefined) => Fields;
  summary: string;
  sender: Sender;
}

/**
 * Fills in what an inquiry and its lead lack. An inquiry that was read becomes unread again if its data became more.
 * Returns false if there is nothing new.
 */
export function fillInquiry(
  change: Change,
  number: number,
  { dataWith, summary, sender }: LaterReport,
): boolean {
  const { organization, now } = change;
  const before = change.get('INQUIRY', number)!;
  const source = before['source'] as InquirySource;
  const ofSource = organization.numberOf(source, before['sourceId']);
  const ofLead = organization.numberOf('LEAD', before['leadId']);
  const [known, lead] = [change.get(source, ofSource)!, change.get('LEAD', ofLead)];
  const data = dataWith(known, lead);
  const hasMore = !same(data, known);
  const { givenEmail, givenPhone } = givenBeside(lead, sender);
  const isSummaryKept = before['summary'] !== '' || before['isSummaryGiven'] === true;
  const after: Fields = {
    ...before,
    ...(!isSummaryKept && { summary }),
    ...(before['givenEmail'] === undefined && givenEmail ? { givenEmail } : {}),
    givenPhone: before['givenPhone'] !== '' ? before['givenPhone'] : givenPhone,
    isRead: before['isRead'] === true && !hasMore,
  };
  const isLeadFilled =
    lead !== undefined && fillLead(change, ofLead, sender.details, { fillsContacts: false });
  if (!hasMore && same(after, before)) return isLeadFilled;
  if (hasMore) change.replace(source, ofSource, data);
  const stored = { ...after, updatedAt: now };
  change.replace('INQUIRY', number, stored);
  if (lead && before['isRead'] === true && hasMore) {
    const filled = change.get('LEAD', ofLead)!;
    const unread = unreadCounts[source];
    change.replace('LEAD', ofLead, { ...filled, [unread]: Number(filled[unread]) + 1, updatedAt: now });
  }
  change.event('INQUIRY_UPDATED', 'The inquiry was changed', String(before['id']));
  return true;
}
