import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { timeLimits } from '../core/waits.ts';
import { groupOf, type QueueWebhooks } from '../domain/webhooks/message.ts';
import type { HideMessage } from './work.ts';

/** Most messages of one call. */
const batchSize = 10;

const QueueUrl = process.env['WEBHOOK_QUEUE_URL'] ?? '';

const client = new SQSClient({
  // Sending twice is harmless: the queue knows a message by its deduplication id.
  maxAttempts: 3,
  // The region's endpoint is that of the queue's URL, and a local one has no other.
  useQueueUrlAsEndpoint: false,
  requestHandler: {
    connectionTimeout: timeLimits.connect,
    requestTimeout: timeLimits.reply,
    throwOnRequestTimeout: true,
  },
});

/** Sends messages to the queue of webhooks, ten with each call. */
export const queueWebhooks: QueueWebhooks = async (messages) => {
  for (let at = 0; at < messages.length; at += batchSize) {
    const Entries = messages.slice(at, at + batchSize).map(({ message, deduplication }, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(message),
      MessageGroupId: groupOf(message),
      MessageDeduplicationId: deduplication,
    }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const [first] = Failed;
    if (first)
      throw new Error(`${Failed.length} of ${Entries.length} messages were not sent: ${first.Code ?? ''}`);
  }
};

/** Hides a message of the queue of webhooks for so many seconds. */
export const hideWebhook: HideMessage = async ({ receiptHandle: ReceiptHandle }, VisibilityTimeout) => {
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
};
