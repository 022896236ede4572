import { accountId, logicalIdOf, smsArn } from '../arns.ts';
import { LocalError } from '../local-error.ts';
import { allows, isLike, type Statement } from '../role.ts';
import type { PolicyDocument } from './messaging-resources.ts';
import type { ResourcesOf } from './resources.ts';

/** A queue that calls a function with its messages. */
export interface WorkQueue {
  /** Name of the queue, or its logical id if AWS would choose the name. */
  id: string;
  functionName: string;
  /** True if messages of one group are received in their order, one after the other. */
  isFifo: boolean;
  /** Most messages under way at once. */
  maxConcurrency: number;
  /** Milliseconds until a failed message is tried again. */
  visibilityTimeout: number;
  /** Most attempts per message. */
  maxReceives: number;
  /** Queue for messages that failed at every attempt. Without one, they are tried forever. */
  deadLetters: string | undefined;
}

/** Topic of delivery reports, and the event types that it gets. */
export interface ReportDestination {
  topic: string;
  eventTypes: readonly string[];
}

/** Queues of a template, its topics, by name, and SMS. */
export interface Messaging {
  queues: readonly WorkQueue[];
  /** Queues that subscribe to each topic. */
  subscribers: ReadonlyMap<string, readonly string[]>;
  /** Destinations of the reports of each configuration set, by the set's name. */
  configurationSets: ReadonlyMap<string, readonly ReportDestination[]>;
  /** Topic of incoming SMS, which is an output of the stack. */
  textsTopic: string | undefined;
}

interface MessagingParts {
  of: ResourcesOf;
  /** Returns the role of a function. */
  roleOf: (functionName: string) => readonly Statement[];
  /** Logical id of the topic of incoming SMS, which an output names. */
  textsTopicId: string | undefined;
}

/** @throws LocalError if a permission is missing, without which AWS would not deliver */
export function messagingOf({ of, roleOf, textsTopicId }: MessagingParts): Messaging {
  const topicNames = of('AWS::SNS::Topic').map(([id, { Properties }]) => [id, Properties.TopicName] as const);
  const queueNames = of('AWS::SQS::Queue').map(
    ([id, { Properties }]) => [id, Properties.QueueName ?? id] as const,
  );
  const names = new Map([...topicNames, ...queueNames]);
  /** Name of a queue or a topic. The stack of the resource has the logical id, and another stack has the name. */
  const nameOf = (arnOrId: string) => names.get(logicalIdOf(arnOrId)) ?? logicalIdOf(arnOrId);
  const queues = new Map(of('AWS::SQS::Queue').map(([id, { Properties }]) => [nameOf(id), Properties]));
  const queuePolicies = of('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
  const topicPolicies = of('AWS::SNS::TopicPolicy').map(([, { Properties }]) => Properties);
  const subscribers = new Map<string, string[]>(topicNames.map(([, name]) => [name, []]));
  for (const [, { Properties }] of of('AWS::SNS::Subscription')) {
    if (Properties.Protocol !== 'sqs') continue;
    const topic = nameOf(Properties.TopicArn);
    const queue = nameOf(Properties.Endpoint);
    const policies = queuePolicies.filter(({ Queues }) => Queues.some((id) => nameOf(id) === queue));
    check(policies, { service: 'sns', sourceArn: Properties.TopicArn }, 'sqs:SendMessage', queue);
    subscribers.set(topic, [...(subscribers.get(topic) ?? []), queue]);
  }
  const checkTexts = (topic: string, sourceArn: string) => {
    const policies = topicPolicies.filter(({ Topics }) => Topics.some((id) => nameOf(id) === topic));
    check(policies, { service: 'sms-voice', sourceArn }, 'sns:Publish', topic);
  };
  const configurationSets = new Map(
    of('AWS::SMSVOICE::ConfigurationSet').map(([, { Properties }]) => {
      const { ConfigurationSetName: name, EventDestinations } = Properties;
      const destinations = EventDestinations.filter(({ Enabled }) => Enabled).map((destination) => {
        const topic = nameOf(destination.SnsDestination.TopicArn);
        checkTexts(topic, `${smsArn}:configuration-set/${name}`);
        return { topic, eventTypes: destination.MatchingEventTypes };
      });
      return [name, destinations] as const;
    }),
  );
  const textsTopic = textsTopicId === undefined ? undefined : nameOf(textsTopicId);
  if (textsTopic !== undefined) checkTexts(textsTopic, `${smsArn}:phone-number/phone-local`);
  const workQueues = of('AWS::Lambda::EventSourceMapping').flatMap(([name, { Properties }]): WorkQueue[] => {
    if ('FilterCriteria' in Properties) return [];
    const id = nameOf(Properties.EventSourceArn);
    const queue = queues.get(id);
    if (!queue) throw new LocalError(`${name} is of the queue ${id}, which is not there`);
    const functionName = logicalIdOf(Properties.FunctionName);
    checkReceiving(functionName, roleOf(functionName), Properties.EventSourceArn);
    // Without the response type, Lambda would delete a message that its function wants again.
    if (queue.FifoQueue !== (Properties.FunctionResponseTypes !== undefined))
      throw new LocalError(
        `${name} must have FunctionResponseTypes if its queue is a FIFO queue, and only then`,
      );
    const work = {
      id,
      functionName,
      isFifo: queue.FifoQueue,
      maxConcurrency: Properties.ScalingConfig.MaximumConcurrency,
      visibilityTimeout: queue.VisibilityTimeout * 1000,
      maxReceives: queue.RedrivePolicy?.maxReceiveCount ?? Infinity,
      deadLetters: queue.RedrivePolicy && nameOf(queue.RedrivePolicy.deadLetterTargetArn),
    };
    return [work];
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
function checkReceiving(functionName: string, role: readonly Statement[], queueArn: string): void {
  for (const operation of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']) {
    const action = `sqs:${operation}`;
    if (!allows(role, { action, resource: queueArn }))
      throw new LocalError(
        `The role of ${functionName} does not allow ${action} on its queue ${logicalIdOf(queueArn)}`,
      );
  }
}

/** A service of AWS that uses a queue or a topic on behalf of a resource. */
export interface Caller {
  /** Name of the service, such as `sns`. */
  service: string;
  sourceArn: string;
}

/** Condition operators that this machine knows. All of them compare strings. */
const operators = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

/**
 * True if a policy allows an action. An unknown condition never holds. Deny statements are ignored, because
 * they only refuse calls without TLS.
 */
export function mayUse(policy: PolicyDocument, { service, sourceArn }: Caller, action: string): boolean {
  const values = new Map([
    ['aws:SourceArn', sourceArn],
    ['aws:SourceAccount', accountId],
  ]);
  const holds = (key: string, patterns: readonly string[]) => {
    const value = values.get(key);
    return value !== undefined && patterns.some((pattern) => isLike(value, pattern));
  };
  return policy.Statement.some(
    ({ Effect, Principal, Action, Condition }) =>
      Effect === 'Allow' &&
      typeof Principal !== 'string' &&
      Principal['Service']?.includes(`${service}.amazonaws.com`) === true &&
      Action.includes(action) &&
      Object.entries(Condition).every(
        ([operator, keys]) =>
          operators.includes(operator) &&
          Object.entries(keys).every(([key, patterns]) => holds(key, patterns)),
      ),
  );
}
