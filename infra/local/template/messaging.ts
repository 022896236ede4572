import { arnOf, logicalIdOf, smsArn } from '../intrinsics.ts';
import { LocalError } from '../local-error.ts';
import type { Messaging, WorkQueue } from '../messaging/messaging.ts';
import type { ResourcesOf } from './resources.ts';
import { allows, type Statement } from '../role.ts';
import { mayUse, type Caller } from './resource-policy.ts';
import type { PolicyDocument } from './messaging-resources.ts';

interface MessagingParts {
  of: ResourcesOf;
  /** Returns the role of a function. */
  roleOf: (functionName: string) => readonly Statement[];
  /** Value of the output that names the topic of incoming SMS. */
  textsTopicArn: string | undefined;
}

/** @throws LocalError if a permission is missing, without which AWS would not deliver */
export function messagingOf({ of, roleOf, textsTopicArn }: MessagingParts): Messaging {
  const queues = new Map(of('AWS::SQS::Queue').map(([id, { Properties }]) => [id, Properties]));
  const queuePolicies = of('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
  const topicPolicies = of('AWS::SNS::TopicPolicy').map(([, { Properties }]) => Properties);
  const subscribers = new Map<string, string[]>(of('AWS::SNS::Topic').map(([id]) => [id, []]));
  for (const [, { Properties }] of of('AWS::SNS::Subscription')) {
    if (Properties.Protocol !== 'sqs') continue;
    const topic = logicalIdOf(Properties.TopicArn);
    const queue = logicalIdOf(Properties.Endpoint);
    const policies = queuePolicies.filter(({ Queues }) => Queues.includes(queue));
    check(policies, { service: 'sns', sourceArn: Properties.TopicArn }, 'sqs:SendMessage', queue);
    subscribers.set(topic, [...(subscribers.get(topic) ?? []), queue]);
  }
  const checkTexts = (topic: string, sourceArn: string) => {
    const policies = topicPolicies.filter(({ Topics }) => Topics.map(logicalIdOf).includes(topic));
    check(policies, { service: 'sms-voice', sourceArn }, 'sns:Publish', topic);
  };
  const configurationSets = new Map(
    of('AWS::SMSVOICE::ConfigurationSet').map(([, { Properties }]) => {
      const { ConfigurationSetName: name, EventDestinations } = Properties;
      const destinations = EventDestinations.filter(({ Enabled }) => Enabled).map((destination) => {
        const topic = logicalIdOf(destination.SnsDestination.TopicArn);
        checkTexts(topic, `${smsArn}:configuration-set/${name}`);
        return { topic, eventTypes: destination.MatchingEventTypes };
      });
      return [name, destinations] as const;
    }),
  );
  const textsTopic = textsTopicArn === undefined ? undefined : logicalIdOf(textsTopicArn);
  if (textsTopic !== undefined) checkTexts(textsTopic, `${smsArn}:phone-number/phone-local`);
  const workQueues = of('AWS::Lambda::EventSourceMapping').map(([name, { Properties }]): WorkQueue => {
    const id = logicalIdOf(Properties.EventSourceArn);
    const queue = queues.get(id);
    if (!queue) throw new LocalError(`${name} is of the queue ${id}, which is not there`);
    const functionName = logicalIdOf(Properties.FunctionName);
    checkReceiving(functionName, roleOf(functionName), id);
    return {
      id,
      functionName,
      maxConcurrency: Properties.ScalingConfig.MaximumConcurrency,
      visibilityTimeout: queue.VisibilityTimeout * 1000,
      maxReceives: queue.RedrivePolicy?.maxReceiveCount ?? Infinity,
      deadLetters: queue.RedrivePolicy && logicalIdOf(queue.RedrivePolicy.deadLetterTargetArn),
    };
  });
  return { queues: workQueues, subscribers, configurationSets, textsTopic };
}

function check(
  policies: readonly { PolicyDocument: PolicyDocument }[],
  caller: Caller,
  action: string,
  id: string,
): void {
  if (policies.some(({ PolicyDocument }) => mayUse(PolicyDocument, caller, action))) return;
  throw new LocalError(`${caller.service}.amazonaws.com may not ${action} to ${id}: no policy of it says so`);
}

/**
 * Checks the permissions that Lambda needs to receive a queue's messages:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 * @throws LocalError
 */
function checkReceiving(functionName: string, role: readonly Statement[], queue: string): void {
  for (const operation of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']) {
    const action = `sqs:${operation}`;
    if (!allows(role, { action, resource: arnOf(queue) }))
      throw new LocalError(`The role of ${functionName} does not allow ${action} on its queue ${queue}`);
  }
}
