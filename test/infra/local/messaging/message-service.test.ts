import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MachineClock } from '../../../../infra/local/clock.ts';
import { MessageService } from '../../../../infra/local/messaging/message-service.ts';
import type { Messaging } from '../../../../infra/local/template/messaging.ts';
import { newFolder } from '../../../support/new-folder.ts';

const queue = {
  functionName: 'F',
  isFifo: false,
  maxConcurrency: 9,
  visibilityTimeout: 1,
  maxReceives: 1,
  deadLetters: undefined,
};
const messaging: Messaging = {
  queues: ['One', 'Two'].map((id) => ({ ...queue, id })),
  subscribers: new Map([['Topic', ['One', 'Two']]]),
  configurationSets: new Map([
    ['all', [{ topic: 'Topic', eventTypes: ['TEXT_ALL'] }]],
    ['delivered', [{ topic: 'Topic', eventTypes: ['TEXT_DELIVERED'] }]],
    ['none', []],
  ]),
  textsTopic: 'Topic',
};

let bodies: Record<string, unknown>[];
beforeEach(() => {
  bodies = [];
});

function service(clock = new MachineClock(), folder?: string) {
  const made = new MessageService(messaging, {
    clock,
    invoke: (_, event) => {
      const { Records } = event as { Records: [{ body: string }] };
      bodies.push(JSON.parse(Records[0].body) as Record<string, unknown>);
      return Promise.resolve({ id: '1', result: 'null', output: '' });
    },
    onRun: () => undefined,
    keepDeadLetter: () => undefined,
    folder,
  });
  made.keep(messaging);
  made.queues.open();
  return made;
}

const sent = {
  id: 'message-1',
  to: '+61491570156',
  from: 'arn:aws:sms-voice:us-east-1:000000000000:phone-number/phone-61491570737',
  text: 'We come at 3.',
  messageType: 'TRANSACTIONAL',
  context: { organization: '6H8EV880', message: '7' },
  configurationSet: 'all',
};

test('a delivery is reported only if the configuration set wants such a report', () => {
  const unreachable = { ...sent, to: '+61491572549' };
  service().reportDelivery({ ...unreachable, configurationSet: 'delivered' });
  service().reportDelivery({ ...sent, configurationSet: 'none' });
  service().reportDelivery({ ...sent, configurationSet: undefined });
  expect(bodies).toEqual([]);
  service().reportDelivery({ ...sent, configurationSet: 'delivered' });
  expect(bodies).toHaveLength(2);
});

test('a delivery report is retried until the queue can store it', async () => {
  const folder = newFolder();
  const file = join(folder, 'queues');
  writeFileSync(file, 'A file is where the folder should be');
  const clock = new MachineClock();
  const made = service(clock, file);
  made.reportDelivery(sent);
  for (const count of [0, 2]) {
    clock.moveBy(20_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(bodies).toHaveLength(count);
    rmSync(file, { force: true, recursive: true });
  }
});
