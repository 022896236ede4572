import * as v from 'valibot';
import { resource, Tags } from './resource-schema.ts';
import { OneOrMore } from '../role.ts';
import { FilterPattern } from './filter-pattern.ts';

/** Resources of queues, topics and SMS, with the properties that this machine needs. */

const Text = v.string();

const Redrive = { deadLetterTargetArn: Text };

const QueueResource = v.object({
  Type: v.literal('AWS::SQS::Queue'),
  Properties: v.optional(
    v.object({
      QueueName: v.optional(Text),
      FifoQueue: v.optional(v.boolean(), false),
      DeduplicationScope: v.optional(v.literal('messageGroup')),
      FifoThroughputLimit: v.optional(v.literal('perMessageGroupId')),
      /** Seconds. */
      VisibilityTimeout: v.optional(v.number(), 30),
      RedrivePolicy: v.optional(v.strictObject({ ...Redrive, maxReceiveCount: v.number() })),
    }),
    {},
  ),
});

const TopicResource = resource('AWS::SNS::Topic', v.object({ TopicName: Text }));

/**
 * Destination of a topic's messages: people, or a queue. The topic wraps the messages for a queue. A
 * subscription that calls a function is refused.
 */
const SubscriptionResource = resource(
  'AWS::SNS::Subscription',
  v.variant('Protocol', [
    v.object({ Protocol: v.literal('email') }),
    v.strictObject({
      Protocol: v.literal('sqs'),
      TopicArn: Text,
      Endpoint: Text,
      Region: v.optional(Text),
      RedrivePolicy: v.optional(v.strictObject(Redrive)),
    }),
  ]),
);

/** Policy of a queue or a topic. */
const PolicyDocument = v.object({
  Statement: v.array(
    v.object({
      Effect: v.picklist(['Allow', 'Deny']),
      Principal: v.union([Text, v.record(Text, OneOrMore)]),
      Action: OneOrMore,
      Condition: v.optional(v.record(Text, v.record(Text, OneOrMore)), {}),
    }),
  ),
});
export type PolicyDocument = v.InferOutput<typeof PolicyDocument>;

const QueuePolicyResource = resource(
  'AWS::SQS::QueuePolicy',
  v.object({ Queues: v.array(Text), PolicyDocument }),
);

const TopicPolicyResource = resource(
  'AWS::SNS::TopicPolicy',
  v.object({ Topics: v.array(Text), PolicyDocument }),
);

/** Mapping of a queue's messages to a function, one at a time. */
const QueueMapping = v.strictObject({
  StartingPosition: v.optional(v.undefined()),
  BatchSize: v.literal(1),
  EventSourceArn: Text,
  FunctionName: Text,
  FunctionResponseTypes: v.optional(v.strictTuple([v.literal('ReportBatchItemFailures')])),
  ScalingConfig: v.strictObject({ MaximumConcurrency: v.number() }),
  Tags,
});
export type QueueMapping = v.InferOutput<typeof QueueMapping>;

/** Mapping of the records of a table's stream, as far as a filter lets them pass, to a function. */
const StreamMapping = v.strictObject({
  StartingPosition: v.literal('LATEST'),
  BatchSize: v.number(),
  BisectBatchOnFunctionError: v.literal(true),
  DestinationConfig: v.strictObject({ OnFailure: v.strictObject({ Destination: Text }) }),
  EventSourceArn: Text,
  FilterCriteria: v.strictObject({
    Filters: v.strictTuple([v.strictObject({ Pattern: v.pipe(Text, v.parseJson(), FilterPattern) })]),
  }),
  FunctionName: Text,
  MaximumRetryAttempts: v.number(),
  Tags,
});
export type StreamMapping = v.InferOutput<typeof StreamMapping>;

const EventSourceMappingResource = resource(
  'AWS::Lambda::EventSourceMapping',
  v.variant('StartingPosition', [QueueMapping, StreamMapping]),
);

const ConfigurationSetResource = resource(
  'AWS::SMSVOICE::ConfigurationSet',
  v.object({
    ConfigurationSetName: Text,
    EventDestinations: v.optional(
      v.array(
        v.strictObject({
          EventDestinationName: Text,
          Enabled: v.boolean(),
          MatchingEventTypes: v.array(Text),
          SnsDestination: v.strictObject({ TopicArn: Text }),
        }),
      ),
      [],
    ),
  }),
);

export const messagingResources = [
  QueueResource,
  TopicResource,
  SubscriptionResource,
  QueuePolicyResource,
  TopicPolicyResource,
  EventSourceMappingResource,
  ConfigurationSetResource,
] as const;
