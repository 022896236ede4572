import type { InquirySource } from '../../../../shared/contract/inquiries.ts';
import type { Change, Joined } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused } from '../model/refusal.ts';
import { only, without, type Fields } from '../same.ts';
import { inActivities } from './leads.ts';
import { addMessage, addThread } from './threads.ts';

export const unreadCounts: Record<InquirySource, string> = {
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

/** List of a lead's inquiries, of all sources or of one. */
export const ofLead = (organization: OrganizationModel, lead: number, source?: string) =>
  organization.partitionOf(source === undefined ? 'gsi2' : 'gsi3', 'INQUIRY', {
    owner: ['LEAD', lead],
    name: source,
  });

export const ofSource = (organization: OrganizationModel, source: string) =>
  organization.partitionOf('gsi1', 'INQUIRY', { name: source });

/** List of unread inquiries. */
export const ofUnread = (organization: OrganizationModel) =>
  organization.partitionOf('gsi4', 'INQUIRY', { name: 'unread' });

export const ofTag = (organization: OrganizationModel, tag: string) =>
  organization.partitionOf('gsi5', 'INQUIRY', { name: tag });

export function listsOf(organization: OrganizationModel, inquiry: Fields): Joined[] {
  const [source, tag] = [String(inquiry['source']), String(inquiry['tag'])];
  const lead = organization.numberOf('LEAD', inquiry['leadId']);
  return [
    ['gsi1', ofSource(organization, source)],
    ['gsi2', ofLead(organization, lead)],
    ['gsi3', ofLead(organization, lead, source)],
    ...(inquiry['isRead'] ? [] : [['gsi4', ofUnread(organization)] as const]),
    ...(tag === '' ? [] : [['gsi5', ofTag(organization, tag)] as const]),
  ];
}

/** An inquiry as `getInquiry` shows it, without the data of its source. */
export const shownInquiry = (inquiry: Fields): Fields => ({
  givenEmail: '',
  ...without(inquiry, 'sourceId', 'externalId', 'keyId', 'digest', 'isSummaryGiven', 'lastTextAt'),
});

/**
 * Fields of a lead's last inquiry after a new inquiry or message. They change unless the lead has a later
 * one.
 */
export function lastAfter(lead: Fields, lastInquiryId: string, lastInquiryDate: string): Fields {
  const before = only(lead, 'lastInquiryId', 'lastInquiryDate');
  const orderOf = (...values: unknown[]) => values.join();
  const isLater =
    before['lastInquiryDate'] !== null &&
    orderOf(before['lastInquiryDate'], before['lastInquiryId']) > orderOf(lastInquiryDate, lastInquiryId);
  return isLater ? before : { lastInquiryId, lastInquiryDate };
}

/**
 * Adds an inquiry: its own record, its source's record, and the change of its lead. Returns the stored
 * inquiry. @throws Refused
 */
export function addInquiry(change: Change, lead: number, given: Fields & { source: InquirySource }): Fields {
  const { organization, now } = change;
  const { source, data, tag = '', summary = '', isRead = false, externalId = null, givenPhone = '' } = given;
  const { keyId, digest, givenEmail, isSummaryGiven } = given;
  const before = change.get('LEAD', lead);
  if (!before) throw new Refused(notFound('lead'));
  const id = organization.idOf('INQUIRY', change.next('INQUIRY'));
  const leadId = before['id'];
  const sourceId = addSource(change, source, data as Fields, { leadId, inquiryId: id });
  const isFirstInquiry = before['lastInquiryId'] === null;
  const stamps = { createdAt: now, updatedAt: now };
  const fields = {
    ...{ id, source, sourceId, leadId, tag, summary, isFirstInquiry, isRead, isFlagged: false },
    ...{ externalId, givenPhone, ...stamps },
    ...(isSummaryGiven === true && { isSummaryGiven }),
    ...(keyId !== undefined && externalId !== null && { keyId, digest }),
    ...(givenEmail ? { givenEmail } : {}),
  };
  const inquiry = change.append('INQUIRY', () => fields, listsOf(organization, fields));
  const unread = unreadCounts[source];
  change.replace('LEAD', lead, {
    ...before,
    ...lastAfter(before, id, now),
    updatedAt: now,
    [unread]: Number(before[unread]) + (isRead ? 0 : 1),
  });
  change.event('INQUIRY_CREATED', arrivals[source], id, [inActivities(organization, lead)]);
  return inquiry;
}

function addSource(change: Change, source: InquirySource, data: Fields, of: Fields): string {
  if (source === 'SMS') {
    const thread = addThread(change, { ...of, number: data['number'] ?? '' });
    for (const message of data['messages'] as Fields[]) addMessage(change, thread, message);
    return String(thread);
  }
  const id = change.organization.idOf(source, change.next(source));
  change.append(source, () => ({ id, ...data }));
  return id;
}
