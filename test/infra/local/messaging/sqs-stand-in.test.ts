import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { arnOf, region } from '../../../../infra/local/arns.ts';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { startSqsStandIn } from '../../../../infra/local/messaging/sqs-stand-in.ts';
import { Permissions, type Statement } from '../../../../infra/local/role.ts';
import { OrganizationCode } from '../../../../shared/core/ids.ts';
import { deduplicationOf } from '../../../../shared/domain/webhooks/message.ts';
import { openWebhookQueue } from '../../../../shared/http/clients/webhook-queue.ts';

const organization = v.parse(OrganizationCode, '6H8EV880');
const allowing = (...Action: string[]): Statement => ({
  Effect: 'Allow',
  Action,
  Resource: [arnOf('Queue'), arnOf('Gone')],
});
const roles: Record<string, Statement[]> = {
  Dispatcher: [allowing('sqs:SendMessage')],
  Sender: [allowing('sqs:SendMessage', 'sqs:ChangeMessageVisibility')],
};

let sent: string[];
/** Groups of the messages. */
let groups: string[];
/** Body of a message that cannot be stored. */
let refused: string | undefined;
const queues = {
  has: (queue: string) => queue === 'Queue',
  send: (_: string, body: string, place = { group: '', deduplication: '' }) => {
    if (body === refused) throw new LocalError('No space left');
    sent.push(body);
    groups.push(place.group);
    return { id: 'm1', body, sentAt: 0, receives: 0, place: { ...place, sequence: 7 } };
  },
  hide: () => false,
};
const permissions = new Permissions((name) => roles[name] ?? []);
const standIn = await startSqsStandIn({ permissions, queues: () => queues });
beforeEach(() => {
  [sent, groups, refused] = [[], [], undefined];
});
afterAll(() => standIn.close());

function clientOf(functionName: string): SQSClient {
  const credentials = { accessKeyId: functionName, secretAccessKey: 'local' };
  const options = { endpoint: standIn.endpoint, region, credentials, maxAttempts: 1 };
  return new SQSClient({ ...options, useQueueUrlAsEndpoint: false });
}
const queueOf = (functionName: string, queue = 'Queue') => openWebhookQueue(queue, 2, clientOf(functionName));

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const message = { organization, webhook: at + 1, upTo: 40 };
    return { message, deduplication: deduplicationOf(message) };
  });
const receivedWith = (receiptHandle: string) => ({ receiptHandle }) as SQSRecord;

test('a message that is not stored fails the call, and the others are in the queue', async () => {
  refused = JSON.stringify(messages(2)[0]!.message);
  await expect(queueOf('Dispatcher').queueWebhooks(messages(2))).rejects.toThrow(
    '1 of 2 messages were not sent: InternalFailure',
  );
  expect(sent).toHaveLength(1);
});

test('webhooks of an organization share its lanes', async () => {
  await queueOf('Dispatcher').queueWebhooks(messages(3));
  expect(groups).toEqual(['6H8EV880#1', '6H8EV880#0', '6H8EV880#1']);
});

test.each([
  [
    'a function whose role does not allow it sends',
    () => queueOf('Nobody').queueWebhooks(messages(1)),
    'AccessDenied',
  ],
  [
    'a function hides without the permission',
    () => queueOf('Dispatcher').hideWebhook(receivedWith('r1'), 5),
    'AccessDenied',
  ],
  [
    'a message is hidden that is not received',
    () => queueOf('Sender').hideWebhook(receivedWith('r2'), 5),
    'ReceiptHandleIsInvalid',
  ],
  ['the queue is not there', () => queueOf('Sender', 'Gone').queueWebhooks(messages(1)), 'QueueDoesNotExist'],
  [
    'a message is hidden for more than 12 hours',
    () => queueOf('Sender').hideWebhook(receivedWith('r1'), 43_201),
    'ValidationException',
  ],
  [
    'the operation is another one',
    () => clientOf('Sender').send(new ListQueuesCommand({})),
    'UnknownOperation',
  ],
  [
    'one message is sent',
    () => clientOf('Sender').send(new SendMessageCommand({ QueueUrl: 'Queue', MessageBody: 'a' })),
    'UnknownOperation',
  ],
] as const)('is refused: %s', async (_, call, name) => {
  await expect(call()).rejects.toMatchObject({ name: expect.stringContaining(name) as string });
  expect(sent).toEqual([]);
});
