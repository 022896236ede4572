import * as v from 'valibot';
import { expect, test } from 'vitest';
import { OrganizationCode } from '../../../../shared/core/ids.ts';
import { dispatchWebhooks } from '../../../../shared/domain/webhooks/dispatch-webhooks.ts';
import type { QueueWebhooks } from '../../../../shared/domain/webhooks/message.ts';
import { sweepWebhooks } from '../../../../shared/domain/webhooks/sweep-webhooks.ts';

const [one, other] = ['6H8EV880', 'ZZZZZZZ1'].map((code) => v.parse(OrganizationCode, code)) as [
  OrganizationCode,
  OrganizationCode,
];

/** A queue that keeps each call's messages. */
function newQueue() {
  const calls: Parameters<QueueWebhooks>[0][] = [];
  const queue: QueueWebhooks = (messages) => Promise.resolve(void calls.push(messages));
  return { queue, calls };
}

const image = (organization: string, version: number, webhooks: string) => ({
  pk: { S: `ORG#${organization}` },
  sk: { S: 'HEAD' },
  version: { N: String(version) },
  named: { M: { WEBHOOK: { S: webhooks } } },
});

test('each webhook is queued once for all changes of its organization, up to the newest', async () => {
  const { queue, calls } = newQueue();
  const images = [image(one, 8, '1'), image(other, 3, '2'), image(one, 10, '1 4'), image(one, 9, '1')];
  expect(await dispatchWebhooks(images, queue)).toBe(3);
  expect(calls.flat()).toEqual([
    { message: { organization: one, webhook: 1, upTo: 10 }, deduplication: '6H8EV880#1#10' },
    { message: { organization: one, webhook: 4, upTo: 10 }, deduplication: '6H8EV880#4#10' },
    { message: { organization: other, webhook: 2, upTo: 3 }, deduplication: 'ZZZZZZZ1#2#3' },
  ]);
});

test('a change that cannot be queued fails the run', async () => {
  const down = () => Promise.reject(new Error('SQS is down'));
  await expect(dispatchWebhooks([image(one, 8, '1')], down)).rejects.toThrow('SQS is down');
});

test('what is due is queued as often as once a minute, however much it is', async () => {
  const { queue, calls } = newQueue();
  // oxlint-disable-next-line typescript/require-await -- The cursors come from an index, page by page.
  async function* due() {
    for (let webhook = 1; webhook <= 230; webhook++) yield { organization: one, webhook };
  }
  expect(await sweepWebhooks(due(), queue, Date.UTC(2026, 10, 23, 23, 59, 58))).toBe(230);
  expect(calls.map(({ length }) => length)).toEqual([100, 100, 30]);
  expect(calls[2]!.at(-1)).toEqual({
    message: { organization: one, webhook: 230, upTo: 0 },
    deduplication: '6H8EV880#230#2026-11-23T23:59',
  });
});
