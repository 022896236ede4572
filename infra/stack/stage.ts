import { SynthesisError } from '../synthesis-error.ts';

export const stages = ['dev', 'prod'] as const;
/** Where a stack is for: `dev` can be thrown away, `prod` cannot. */
export type Stage = (typeof stages)[number];

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

/** The log group of a stage's functions of a kind. */
export const logGroupNameOf = (stage: Stage, kind: FunctionKind) => `/${stackNameOf(stage)}/${kind}`;

/** The output of the stack that names its table: what the operator's command line looks up. */
export const tableNameOutput = 'TableName';
/** The output that names the API's address. */
export const baseUrlOutput = 'BaseUrl';
