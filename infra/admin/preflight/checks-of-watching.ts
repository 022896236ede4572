import { DescribeContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { ListSubscriptionsByTopicCommand, type Subscription } from '@aws-sdk/client-sns';
import { topicNameOf } from '../../stack/resource-names.ts';
import { switchOnRecovery } from '../table/switch-on-recovery.ts';
import { found, type Account } from './account.ts';
import { fine, mind, type Check } from './check.ts';

/** Subscriptions of a topic. Undefined if there is no such topic. */
async function subscriptionsOf(TopicArn: string, { sns }: Account): Promise<Subscription[] | undefined> {
  const subscriptions: Subscription[] = [];
  let next: string | undefined;
  do {
    const page = await found(
      'sns:ListSubscriptionsByTopic',
      sns.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken: next })),
      /^NotFound/,
    );
    if (!page) return undefined;
    subscriptions.push(...(page.Subscriptions ?? []));
    next = page.NextToken;
  } while (next !== undefined);
  return subscriptions;
}

/**
 * Check that each address of alarms gets them. AWS deletes a subscription that nobody confirms within 48 hours.
 * https://aws.amazon.com/about-aws/whats-new/2023/05/amazon-sns-automatic-deletion-unconfirmed-subscriptions/
 */
export const alarmEmails: Check = {
  name: 'Alarm emails',
  isNeeded: ({ alarmAddresses = 'none' }) => alarmAddresses !== 'none',
  ask: async ({ stage, settings: { alarmAddresses = 'none' }, account }) => {
    const { id, region, partition } = account;
    const topic = `arn:${partition}:sns:${region}:${id}:${topicNameOf(stage, 'alarms')}`;
    const subscriptions = await subscriptionsOf(topic, account);
    if (!subscriptions) return fine('the deployment sends each address a link to confirm');
    const addresses = alarmAddresses === 'none' ? [] : alarmAddresses;
    const arnOf = (address: string) =>
      subscriptions.find(({ Protocol, Endpoint }) => Protocol === 'email' && Endpoint === address)
        ?.SubscriptionArn;
    const missing = addresses.filter((address) => arnOf(address) === undefined);
    if (missing.length > 0)
      return mind(
        `${missing.join(', ')} has no subscription: deploy, or run "aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint ${missing[0] ?? ''}"`,
      );
    const waiting = addresses.filter((address) => arnOf(address) === 'PendingConfirmation');
    return waiting.length > 0
      ? mind(`${waiting.join(', ')} gets no alarm until somebody follows the link in the email from AWS`)
      : fine(`confirmed by ${addresses.join(', ')}`);
  },
};

/** Check that the table can be restored to a point in time. No metric shows that somebody turned this off. */
export const recovery: Check = {
  name: 'Point-in-time recovery',
  ask: async ({ settings: { tableName: TableName }, account: { dynamoDb } }) => {
    const answer = await found(
      'dynamodb:DescribeContinuousBackups',
      dynamoDb.send(new DescribeContinuousBackupsCommand({ TableName })),
      /^(TableNotFound|ResourceNotFound)/,
    );
    if (!answer) return fine('the deployment turns it on');
    const { PointInTimeRecoveryDescription: description } = answer.ContinuousBackupsDescription ?? {};
    return description?.PointInTimeRecoveryStatus === 'ENABLED'
      ? fine('on')
      : mind(`off: run "${switchOnRecovery(TableName)}"`);
  },
};
