import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Window } from '../model/window.ts';
import { only, same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';

/** Number of messages of a thread that an inquiry shows. */
const shownMessages = 100;

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
  return change.append(
    'MESSAGE',
    (id) => ({ id, threadId: thread, providerId: null, createdAt: change.now, ...message }),
    [['gsi1', messagesOf(change.organization, thread)]],
  );
}

/** A message as an inquiry shows it. */
const shownMessage = (message: Fields): Fields => ({
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
    .map(({ version }) => oldestFirst(window, list.pageAt(version, { page: 1, limit: shownMessages })));
  if (id !== String(thread) || !pages.some((page) => same(page, observed))) {
    throw new Violation('An inquiry must show its thread at one version', {
      expected: { id: String(thread), messages: pages.slice(0, 12) },
      observed: { id, messages: observed },
    });
  }
  for (const message of messages as Fields[]) {
    const values = window.present('MESSAGE', Number(message['id']), { fromIndex: true }).map(shownMessage);
    if (!values.some((value) => same(value, message))) {
      throw new Violation('A message must have a value of the window', {
        expected: values,
        observed: message,
      });
    }
  }
}
