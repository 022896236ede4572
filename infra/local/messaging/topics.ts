import { randomUUID } from 'node:crypto';
import { pseudo, region } from '../intrinsics.ts';

/** A topic's ARN. Its name here is its logical id. */
export const topicArnOf = (topic: string) =>
  `arn:aws:sns:${region}:${pseudo['AWS::AccountId'] ?? ''}:${topic}`;

/**
 * What a topic puts into a queue of what was published to it.
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
