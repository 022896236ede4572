import { randomUUID } from 'node:crypto';
import { pseudo, region } from '../intrinsics.ts';

/** ARN of a topic. Its name here is its logical id. */
export const topicArnOf = (topic: string) =>
  `arn:aws:sns:${region}:${pseudo['AWS::AccountId'] ?? ''}:${topic}`;

/**
 * Wraps a published message, as a topic does for its queues.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export function envelopeOf(topic: string, message: string, now: number): string {
  const TopicArn = topicArnOf(topic);
  return JSON.stringify({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn,
    Message: message,
    Timestamp: new Date(now).toISOString(),
    SignatureVersion: '1',
    Signature: 'bG9jYWw=',
    SigningCertURL: 'https://sns.localhost/SimpleNotificationService.pem',
    UnsubscribeURL: `https://sns.localhost/?Action=Unsubscribe&SubscriptionArn=${TopicArn}:${randomUUID()}`,
  });
}
