import type { SQSRecord } from 'aws-lambda';
import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { timeLimits } from '../../core/waits.ts';
import { groupOf, type QueueWebhooks } from '../../domain/webhooks/message.ts';

/** Maximum number of messages in one call. */
const batchSize = 10;

const clientConfig = {
  // Sending twice is harmless: the queue knows a message by its deduplication id.
  maxAttempts: 3,
  // The region's endpoint takes calls for each of its queues.
  useQueueUrlAsEndpoint: false,
  requestHandler: {
    connectionTimeout: timeLimits.connect,
    requestTimeout: timeLimits.reply,
    throwOnRequestTimeout: true,
  },
};

/** Hides a message for so many seconds. Then its queue gives the message to a function again. */
export type HideMessage = (message: SQSRecord, seconds: number) => Promise<void>;

/** The queue of webhooks. */
interface WebhookQueue {
  /** Sends messages, ten with each call. */
  queueWebhooks: QueueWebhooks;
  hideWebhook: HideMessage;
}

/** Opens the queue with this URL. An organization has so many lanes there. Sends no call. */
export const openWebhookQueue = (
  QueueUrl: string,
  lanes: number,
  client = new SQSClient(clientConfig),
): WebhookQueue => ({
  queueWebhooks: async (messages) => {
    for (let at = 0; at < messages.length; at += batchSize) {
      const Entries = messages.slice(at, at + batchSize).map(({ message, deduplication }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(message),
        MessageGroupId: groupOf(message, lanes),
        MessageDeduplicationId: deduplication,
      }));
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      const [first] = Failed;
      if (first)
        throw new Error(`${Failed.length} of ${Entries.length} messages were not sent: ${first.Code ?? ''}`);
    }
  },
  hideWebhook: async ({ receiptHandle: ReceiptHandle }, VisibilityTimeout) => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  },
});
