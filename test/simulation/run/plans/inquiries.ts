import type { InquirySource } from '../../../../shared/contract/inquiries.ts';
import type { Change } from '../model/change.ts';
import { unreadCounts } from '../model/counts.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { only, without, type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { inActivities } from './leads.ts';

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

/** An inquiry as `getInquiry` shows it, without the data of its source. */
export const shownInquiry = (inquiry: Fields): Fields => ({
  givenEmail: '',
  ...without(inquiry, 'sourceId', 'externalId', 'keyId', 'platform', 'isSummaryGiven', 'lastTextAt'),
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
  const { keyId, platform, givenEmail, isSummaryGiven } = given;
  const before = change.get('LEAD', lead);
  if (!before) throw new Refused(notFound);
  const id = organization.idOf('INQUIRY', change.next('INQUIRY'));
  const leadId = before['id'];
  const sourceId = addSource(change, source, data as Fields, { leadId, inquiryId: id });
  const isFirstInquiry = before['lastInquiryId'] === null;
  const stamps = { createdAt: now, updatedAt: now };
  const fields = {
    ...{ id, source, sourceId, leadId, tag, summary, isFirstInquiry, isRead, isFlagged: false },
    ...{ externalId, givenPhone, ...stamps },
    ...(isSummaryGiven === true && { isSummaryGiven }),
    ...(keyId !== undefined && externalId !== null && { keyId }),
    ...(platform !== undefined && { platform }),
    ...(givenEmail ? { givenEmail } : {}),
  };
  const inquiry = change.append('INQUIRY', () => fields);
  const unread = unreadCounts[source];
  change.replace('LEAD', lead, {
    ...before,
    ...lastAfter(before, id, now),
    ...(source === 'SMS' && { newestThreadId: Number(sourceId) }),
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

/** Number of messages of a thread that an inquiry shows. */
export const shownMessages = 100;

/** Name of the list of a thread's messages. */
export const messagesOf = (organization: OrganizationModel, thread: number) =>
  organization.partitionOf('gsi1', 'MESSAGE', { owner: ['THREAD', thread] });

/** Adds a thread and returns its number. */
export function addThread(change: Change, of: Fields): number {
  const number = change.next('THREAD');
  change.append('THREAD', (id) => ({ id, number: '', ...of, createdAt: change.now }));
  return number;
}

/** Adds a message to a thread and returns it. */
export function addMessage(change: Change, thread: number, message: Fields): Fields {
  const { inquiryId } = change.get('THREAD', thread)!;
  const presets = { threadId: thread, inquiryId, providerId: null, createdAt: change.now };
  return change.append('MESSAGE', (id) => ({ id, ...presets, ...message }));
}

/** A message as an inquiry shows it. */
export const shownMessage = (message: Fields): Fields => ({
  ...only(message, 'direction', 'text', 'createdAt', 'status'),
  id: String(message['id']),
});

/** Time at which a message was sent or received. It never changes. */
const createdAtOf = (window: Window, number: number): string =>
  String(window.present('MESSAGE', number, { fromIndex: true })[0]?.['createdAt']);

/** Sorts a page's messages by time, the oldest first. */
const oldestFirst = (window: Window, page: readonly number[]): number[] =>
  page.toReversed().sort((a, b) => Date.parse(createdAtOf(window, a)) - Date.parse(createdAtOf(window, b)));

/** Maximum number of combinations that are compared. */
const maxWays = 64;

/**
 * Possible states of a thread in an inquiry's response: its messages of one version, each as an index can
 * show it.
 */
export function threadsIn(window: Window, thread: number): Fields[] {
  const { organization } = window;
  const list = organization.list(messagesOf(organization, thread));
  return window.statesByOwner(list).flatMap(({ version }) => {
    let ways: Fields[][] = [[]];
    for (const number of oldestFirst(window, list.pageAt(version, { page: 1, limit: shownMessages }))) {
      const values = window.present('MESSAGE', number, { fromIndex: true }).map(shownMessage);
      ways = ways.flatMap((way) => values.map((value) => [...way, value])).slice(0, maxWays);
    }
    return ways.map((messages) => ({ id: String(thread), messages }));
  });
}

/**
 * Checks the thread of an inquiry's response: the newest messages of one version, oldest first. @throws
 * Violation
 */
export function checkThread({ id, messages }: Fields, thread: number, window: Window): void {
  const { organization } = window;
  const list = organization.list(messagesOf(organization, thread));
  const observed = (messages as Fields[]).map((message) => Number(message['id']));
  const pages = window
    .statesByOwner(list)
    .map(({ version }) => oldestFirst(window, list.pageAt(version, { page: 1, limit: shownMessages })))
    .map((page) => ({ id: String(thread), messages: page }));
  if (!window.isSlow)
    checkOneOf('An inquiry must show its thread at one version', pages, { id, messages: observed });
  for (const message of messages as Fields[]) {
    const values = window.present('MESSAGE', Number(message['id']), { fromIndex: true }).map(shownMessage);
    checkOneOf('A message must have a value of the window', values, message);
  }
}
