import { SynthesisError } from '../synthesis-error.ts';

/** Stages that can be deployed: `dev` can be thrown away, `prod` cannot. */
export const deployedStages = ['dev', 'prod'] as const;
export const stages = [...deployedStages, 'local'] as const;
/** Purpose of two stacks. `local` is for `sam local`, and cannot be deployed: docs/sam-local.md. */
export type Stage = (typeof stages)[number];
export type DeployedStage = (typeof deployedStages)[number];

/** Parses the value of `-c stage=…`. @throws SynthesisError that lists the stages */
export function parseStage(value: unknown): Stage {
  const stage = stages.find((known) => known === value);
  if (!stage)
    throw new SynthesisError(
      `The stage is "${String(value)}", but must be one of: ${stages.join(', ')} (-c stage=dev)`,
    );
  return stage;
}

/** Seconds that API Gateway caches the authorizer's answer. A revoked token works no longer than this. */
export const authorizerCacheTime = 60;

/**
 * Address of the database for functions of the stage `local`. The host is Docker's name for the computer that
 * runs the container. `npm start` opens the port for `sam local`.
 */
export const samLocalDatabase = { host: 'host.docker.internal', port: 18_000 };
