import { SynthesisError } from '../synthesis-error.ts';

/** Stages that can be deployed: `dev` can be thrown away, `prod` cannot. */
export const deployedStages = ['dev', 'prod'] as const;
export const stages = [...deployedStages, 'local'] as const;
/** Purpose of a stack. `local` is a template for `sam local`, which cannot be deployed: docs/sam-local.md. */
export type Stage = (typeof stages)[number];
export type DeployedStage = (typeof deployedStages)[number];

/** Parses the value of `-c stage=…`. @throws SynthesisError that lists the stages */
export function parseStage(value: unknown): Stage {
  const stage = stages.find((known) => known === value);
  if (!stage)
    throw new SynthesisError(
      `The stage is "${String(value)}", but it must be one of: ${stages.join(', ')} (-c stage=dev)`,
    );
  return stage;
}

export const stackNameOf = (stage: Stage) => `SalesPipeline-${stage}`;

/**
 * Prefix of the names of a stage's functions: `SalesPipeline-dev-ResolveSending`. Lambda allows 64
 * characters.
 */
export const functionPrefixOf = (stage: Stage) => `${stackNameOf(stage)}-`;

/**
 * Prefix of the functions that API Gateway calls. It may call no others: `SalesPipeline-dev-api-ListLeads`.
 */
export const apiFunctionPrefixOf = (stage: Stage) => `${functionPrefixOf(stage)}api-`;

export const apiNameOf = (stage: Stage) => stackNameOf(stage);

/**
 * Content of a log group: lines of all endpoints, of all workers, or of API Gateway. Each line of a function
 * names its operation.
 */
export type LogKind = 'api' | 'workers' | 'access';

export const logGroupNameOf = (stage: Stage, kind: LogKind) => `/${stackNameOf(stage)}/${kind}`;

/** Seconds for which API Gateway caches the authorizer's answer. A revoked token works for no longer. */
export const authorizerCacheTime = 60;

/** Output with the table's name, which the operator's command line reads. */
export const tableNameOutput = 'TableName';
/** Output with the API's base URL. */
export const baseUrlOutput = 'BaseUrl';
/** Output with the ARN of the topic to which phone numbers report incoming SMS. */
export const smsTopicOutput = 'TextsTopicArn';

/**
 * Address of the database for functions of the stage `local`: Docker's name for the computer that runs the
 * container, and the port that `npm start` opens for `sam local`.
 */
export const samLocalDatabase = { host: 'host.docker.internal', port: 18_000 };
