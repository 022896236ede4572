import * as v from 'valibot';
import { resource, string, Tags } from './resource-schema.ts';
import { OneOrMore } from '../role.ts';
import { FilterPattern } from './filter-pattern.ts';

/** Resources of queues, topics and SMS, with the properties that this machine needs. */

const Redrive = { deadLetterTargetArn: string };

const QueueResource = v.object({
  Type: v.literal('AWS::SQS::Queue'),
  Properties: v.optional(
    v.object({
      QueueName: v.optional(string),
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

const TopicResource = resource('AWS::SNS::Topic', v.object({ TopicName: string }));

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
      TopicArn: string,
      Endpoint: string,
      Region: v.optional(string),
      RedrivePolicy: v.optional(v.strictObject(Redrive)),
    }),
  ]),
);

/** Policy of a queue or a topic. */
const PolicyDocument = v.object({
  Statement: v.array(
    v.object({
      Effect: v.picklist(['Allow', 'Deny']),
      Principal: v.union([string, v.record(string, OneOrMore)]),
      Action: OneOrMore,
      Condition: v.optional(v.record(string, v.record(string, OneOrMore)), {}),
    }),
  ),
});
export type PolicyDocument = v.InferOutput<typeof PolicyDocument>;

const QueuePolicyResource = resource(
  'AWS::SQS::QueuePolicy',
  v.object({ Queues: v.array(string), PolicyDocument }),
);

const TopicPolicyResource = resource(
  'AWS::SNS::TopicPolicy',
  v.object({ Topics: v.array(string), PolicyDocument }),
);

/** Mapping of a queue's messages to a function, one at a time. */
const QueueMapping = v.strictObject({
  StartingPosition: v.optional(v.undefined()),
  BatchSize: v.literal(1),
  EventSourceArn: string,
  FunctionName: string,
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
  DestinationConfig: v.strictObject({ OnFailure: v.strictObject({ Destination: string }) }),
  EventSourceArn: string,
  FilterCriteria: v.strictObject({
    Filters: v.strictTuple([v.strictObject({ Pattern: v.pipe(string, v.parseJson(), FilterPattern) })]),
  }),
  FunctionName: string,
  MaximumRetryAttempts: v.number(),
  MetricsConfig: v.strictObject({ Metrics: v.strictTuple([v.literal('EventCount')]) }),
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
    ConfigurationSetName: string,
    EventDestinations: v.optional(
      v.array(
        v.strictObject({
          EventDestinationName: string,
          Enabled: v.boolean(),
          MatchingEventTypes: v.array(string),
          SnsDestination: v.strictObject({ TopicArn: string }),
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
