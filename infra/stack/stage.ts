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

/** The output of the stack that names its table: what the operator's command line looks up. */
export const tableNameOutput = 'TableName';
