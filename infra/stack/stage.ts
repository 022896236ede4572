import { SynthesisError } from '../synthesis-error.ts';

/** Stages that other stages can be like: what is in `dev` can be thrown away, what is in `prod` cannot. */
export const models = ['dev', 'prod'] as const;
export type Model = (typeof models)[number];
/** Stages with settings of their own. `local` is for `sam local`, and cannot be deployed: docs/sam-local.md. */
export const ownStages = [...models, 'local'] as const;
/** Name of two stacks with their own data: `dev`, `prod`, `local`, or the name of a stage that is like `dev` or `prod`. */
export type Stage = string;

/**
 * Most characters of a stage's name. The longest name of a function then has 59 of the 64 characters that Lambda
 * allows. Names of other resources may be longer than names of functions.
 */
export const maxStageLength = 16;

/** The rule for names of stages. A hyphen would let `x-data` name the stack of the data of `x`. */
export const stageRule = `must be 1 to ${maxStageLength} lower-case letters and digits, first a letter, such as staging`;

/** True if a stage can have this name, and its resources get valid names. */
export const isStageName = (name: string): boolean =>
  new RegExp(`^[a-z][a-z0-9]{0,${maxStageLength - 1}}$`).test(name);

/** True for a stage that can be deployed. */
export const canBeDeployed = (stage: Stage): boolean => stage !== 'local';

/** Parses the value of `-c stage=…`. @throws SynthesisError for an impossible name */
export function parseStage(value: unknown): Stage {
  if (typeof value === 'string' && isStageName(value)) return value;
  throw new SynthesisError(`The stage is "${String(value)}", but it ${stageRule} (-c stage=staging)`);
}

/**
 * Options that name a stage to the CDK's command line: `-c stage=dev`, or `-c stage=staging -c like=prod`.
 *
 * @param model the stage that it is like. Undefined if this is unknown
 */
export const optionsOf = (stage: Stage, model?: Model): string =>
  ownStages.some((own) => own === stage) ? `-c stage=${stage}` : `-c stage=${stage} -c like=${model ?? '…'}`;

/** Seconds that API Gateway caches the authorizer's answer. A revoked token works no longer than this. */
export const authorizerCacheTime = 60;

/**
 * Address of the database for functions of the stage `local`. The host is Docker's name for the computer that
 * runs the container. `npm start` opens the port for `sam local`.
 */
export const samLocalDatabase = { host: 'host.docker.internal', port: 18_000 };
