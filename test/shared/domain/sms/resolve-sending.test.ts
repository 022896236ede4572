import { beforeEach, expect, test } from 'vitest';
import type { OrganizationCode } from '../../../../shared/core/ids.ts';
import { realSystem } from '../../../../shared/core/system.ts';
import { resolveSending } from '../../../../shared/domain/sms/resolve-sending.ts';
import { messages } from '../../../../shared/domain/threads/threads.ts';
import type { DueRecord, Store } from '../../../../shared/ledger/index.ts';
import { leaveSending, newestEvents, statusOf, type LeftMessage } from '../../../support/leave-sending.ts';
import {
  limits,
  newOrganization,
  newStore,
  type TestOrganization,
} from '../../../support/test-organization.ts';
import { patience } from '../../../support/patience.ts';

let ours: TestOrganization;
let theirs: TestOrganization;
beforeEach(async () => {
  [ours, theirs] = [await newOrganization(), await newOrganization({ country: 'NZ' })];
});

const dueOf = ({ organization, messageId }: LeftMessage): DueRecord<typeof messages> => ({
  organization: organization.code,
  ref: { collection: messages, number: Number(messageId) },
});

async function* listed(left: readonly LeftMessage[]) {
  for (const message of left) yield await Promise.resolve(dueOf(message));
}

/** Resolves due messages. Returns the number of resolved ones, and the reported errors. */
async function run(
  due: AsyncIterable<DueRecord<typeof messages>>,
  { milliseconds = patience, store = newStore() }: { milliseconds?: number; store?: Store } = {},
) {
  const { deadline, capacity } = limits(milliseconds);
  const reported: unknown[] = [];
  const resolved = await resolveSending(
    due,
    (organization: OrganizationCode, end) =>
      store.ledgerOf({ organization, userId: 'system', deadline: end, capacity }),
    { system: realSystem, deadline, report: (error) => reported.push(error) },
  );
  return { resolved, reported };
}

test('a message that is no longer due, although the index shows it, stays as it is', async () => {
  const message = await leaveSending(ours);
  const none = { ...message, messageId: String(Number(message.messageId) + 1) };
  expect(await run(listed([message, message, none]))).toEqual({ resolved: 1, reported: [] });
  const before = await newestEvents(ours, 1);
  expect(await run(listed([message]))).toEqual({ resolved: 0, reported: [] });
  expect(await newestEvents(ours, 1)).toEqual(before);
});

test('a run that is killed half-way leaves the rest to the next', async () => {
  const left = [await leaveSending(ours), await leaveSending(ours), await leaveSending(theirs)];
  async function* killed() {
    yield* listed(left.slice(0, 2));
    await Promise.reject(new Error('Killed'));
  }
  await expect(run(killed())).rejects.toThrow('Killed');
  expect(await Promise.all(left.map(statusOf))).toEqual(['UNKNOWN', 'UNKNOWN', 'SENDING']);
  expect(await run(listed(left))).toEqual({ resolved: 1, reported: [] });
  expect(await Promise.all(left.map(statusOf))).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN']);
});

test('an organization that is too busy is skipped for the rest of the run, so that others have their time', async () => {
  const left = [await leaveSending(ours), await leaveSending(ours), await leaveSending(theirs)];
  const store = newStore();
  let asked = 0;
  const busy: Store = {
    ...store,
    ledgerOf: (principal) => {
      const isOurs = principal.organization === ours.code;
      if (isOurs) asked++;
      return store.ledgerOf(isOurs ? { ...principal, deadline: 0 } : principal);
    },
  };
  const { resolved, reported } = await run(listed(left), { store: busy });
  expect({ resolved, reported: reported.length, asked }).toEqual({ resolved: 1, reported: 1, asked: 1 });
  expect(await run(listed(left))).toEqual({ resolved: 2, reported: [] });
});

test('no message is begun that could not be finished in time', async () => {
  const message = await leaveSending(ours);
  expect(await run(listed([message]), { milliseconds: 4000 })).toEqual({ resolved: 0, reported: [] });
  expect(await statusOf(message)).toBe('SENDING');
});

test('no message takes longer than five seconds', async () => {
  const message = await leaveSending(ours);
  const store = newStore();
  const ends: number[] = [];
  const watched: Store = {
    ...store,
    ledgerOf: (principal) => {
      ends.push(principal.deadline - Date.now());
      return store.ledgerOf(principal);
    },
  };
  await run(listed([message]), { store: watched });
  expect(ends).toHaveLength(1);
  expect(ends[0]).toBeLessThanOrEqual(5000);
});
