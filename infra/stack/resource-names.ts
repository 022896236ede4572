import type { Worker } from '../../shared/contract/worker.ts';
import { workerId } from '../functions.ts';
import type { Stage } from './stage.ts';

/** Name of the stack of the service, which is also the namespace of its metrics. */
export const stackNameOf = (stage: Stage) => `SalesPipeline-${stage}`;

/** Name of the stack of the data: everything that must outlive the service. */
export const dataStackNameOf = (stage: Stage) => `${stackNameOf(stage)}-data`;

/** Name of a stage's first table. Its setting `tableName` names another one after a restore. */
export const tableNameOf = (stage: Stage) => stackNameOf(stage);

/** Purpose of a topic: incoming SMS and delivery reports, or alarms. */
export type TopicKind = 'texts' | 'alarms';

export const topicNameOf = (stage: Stage, kind: TopicKind) => `${stackNameOf(stage)}-${kind}`;

/** Content of a queue: messages for a worker, or its dead letters. */
export type QueueKind = 'Queue' | 'DeadLetters';

/** Name of a queue of the data. Other queues have names that AWS chooses, which begin in the same way. */
export const queueNameOf = (stage: Stage, worker: Pick<Worker, 'name'>, kind: QueueKind) =>
  `${stackNameOf(stage)}-${workerId(worker)}${kind}`;

/** Value of the data's stack that AWS chooses: the ARN of the table's stream, or of the key of secrets. */
export type ParameterKind = 'table-stream-arn' | 'secrets-key-arn';

/**
 * Name of the SSM parameter with such a value, which the data's stack writes and each deployment of the service reads. An
 * export of the stack could not change, nor be deleted, while the service uses it.
 */
export const parameterNameOf = (stage: Stage, kind: ParameterKind) => `/${stackNameOf(stage)}/${kind}`;

/**
 * Prefix of the names of a stage's functions: `SalesPipeline-dev-ResolveSending`. Lambda allows 64
 * characters, hence `maxStageLength`.
 */
export const functionPrefixOf = (stage: Stage) => `${stackNameOf(stage)}-`;

/**
 * Prefix of the functions that API Gateway calls, such as `SalesPipeline-dev-api-ListLeads`. API Gateway may
 * call no others.
 */
export const apiFunctionPrefixOf = (stage: Stage) => `${functionPrefixOf(stage)}api-`;

export const apiNameOf = (stage: Stage) => stackNameOf(stage);

export const logKinds = ['api', 'workers', 'access'] as const;
/**
 * Content of a log group: lines of all endpoints, of all workers, or of API Gateway. Each line of a function
 * names its operation.
 */
export type LogKind = (typeof logKinds)[number];

export const logGroupNameOf = (stage: Stage, kind: LogKind) => `/${stackNameOf(stage)}/${kind}`;

/** Output of the data's stack: the table's name, which the operator's command line reads. */
export const tableNameOutput = 'TableName';
/** Output of the data's stack: the stage that it is like, which the operator's command line reads. */
export const likeOutput = 'Like';
/** Output of the data's stack: the ARN of the topic that phone numbers report incoming SMS to. */
export const smsTopicOutput = 'TextsTopicArn';
/** Output of the data's stack: the ARN of the topic that alarms publish to. */
export const alarmTopicOutput = 'AlarmTopicArn';
/** Output of the data's stack: the ARN of the key of secrets, which the operator's command line encrypts by. */
export const secretsKeyOutput = 'EncryptionKeyArn';
/** Output of the service's stack: the API's base URL. */
export const baseUrlOutput = 'BaseUrl';
/** Output of the service's stack of a stage like `dev`: the ARN of the role of `LeadingKeysProbe`. */
export const probeRoleOutput = 'ProbeRoleArn';
