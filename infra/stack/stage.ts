import { SynthesisError } from '../synthesis-error.ts';

/** The stages that are deployed: `dev` can be thrown away, `prod` cannot. */
export const deployedStages = ['dev', 'prod'] as const;
export const stages = [...deployedStages, 'local'] as const;
/** What a stack is for. `local` is a template for `sam local`, which no one can deploy: docs/sam-local.md. */
export type Stage = (typeof stages)[number];
export type DeployedStage = (typeof deployedStages)[number];

/** The stage given as `-c stage=…`. @throws SynthesisError that names the stages there are. */
export function parseStage(value: unknown): Stage {
  const stage = stages.find((known) => known === value);
  if (!stage)
    throw new SynthesisError(
      `The stage is "${String(value)}", but it must be one of: ${stages.join(', ')} (-c stage=dev)`,
    );
  return stage;
}

/** The name of a stage's CloudFormation stack. */
export const stackNameOf = (stage: Stage) => `SalesPipeline-${stage}`;

/** How the names of a stage's functions begin: `SalesPipeline-dev-ResolveSending`. Lambda takes 64 characters. */
export const functionPrefixOf = (stage: Stage) => `${stackNameOf(stage)}-`;

/** How those begin that API Gateway calls, and it may call no other: `SalesPipeline-dev-api-ListLeads`. */
export const apiFunctionPrefixOf = (stage: Stage) => `${functionPrefixOf(stage)}api-`;

/** The name of a stage's REST API. */
export const apiNameOf = (stage: Stage) => stackNameOf(stage);

/** What calls a function: API Gateway, or a worker's source. */
export type FunctionKind = 'api' | 'workers';

/** What is logged: functions of a kind, or every access to the API. */
export type LogKind = FunctionKind | 'access';

/** The log group of a stage for what is logged. */
export const logGroupNameOf = (stage: Stage, kind: LogKind) => `/${stackNameOf(stage)}/${kind}`;

/** The output of the stack that names its table: what the operator's command line looks up. */
export const tableNameOutput = 'TableName';
/** The output that names the API's address. */
export const baseUrlOutput = 'BaseUrl';
/** The output with the ARN of the topic that phone numbers tell of texts that come in. */
export const textsTopicOutput = 'TextsTopicArn';

/**
 * Where functions of the stage `local` find the database: by Docker's name for the computer that runs the container, at the
 * port that `npm start` opens for them.
 */
export const samLocalDatabase = { host: 'host.docker.internal', port: 18_000 };
