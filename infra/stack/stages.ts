import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { SynthesisError } from '../synthesis-error.ts';
import type { StageFile, StageSettings } from './settings-schema.ts';
import { tableNameOf } from './resource-names.ts';
import { models, ownStages, type Stage } from './stage.ts';

const common: Omit<StageFile, 'like' | 'tableName'> = {
  sms: true,
  logRetentionDays: RetentionDays.ONE_WEEK,
  requestsPerSecond: 100,
  requestBurst: 200,
  requestsPerTokenPerMinute: 1500,
  requestsPerKeyPerMinute: 120,
  formsPerKeyPerDay: 2000,
  requestsPerKeyAndAddressPerMinute: 20,
  refusedTokensPerAddressPerMinute: 60,
  maxWriteRequestUnits: 4000,
  reservedConcurrency: {},
  keepWarm: false,
  tracing: false,
  requireLeadingKeys: false,
  accountLogRole: 'make',
  webAcl: 'none',
  accountConcurrency: 1000,
  alarmAfterHoursWithoutTraffic: 0,
};

const dev: StageSettings = {
  ...common,
  like: 'dev',
  tableName: tableNameOf('dev'),
  alarmAddresses: 'none',
};

/** Settings of `prod`. Add the `alarmAddresses`; until then, every command for `prod` has to name them. */
const prod: StageFile = {
  ...common,
  like: 'prod',
  tableName: tableNameOf('prod'),
  logRetentionDays: RetentionDays.ONE_YEAR,
  requestsPerSecond: 1000,
  requestBurst: 2000,
  keepWarm: true,
  webAcl: 'own',
};

/**
 * Settings of each stage: docs/operations.md, Settings. A stage of another name is like one of them. Try another value
 * without changing this file by `npx cdk deploy --all -c stage=dev -c logRetentionDays=30`.
 *
 * `local` is never deployed. `sam local` works on the table of `npm start`, which runs the stage `dev`.
 */
export const stageSettings = { dev, prod, local: dev } as const;

/**
 * Settings of a stage before `-c name=value`: its own, or the settings of the stage that it is like. A domain belongs to
 * one stage alone, and each stage has its own table.
 *
 * @param like value of `-c like=…`
 * @param files settings by stage
 * @throws SynthesisError if it is unclear whose settings the stage takes
 */
export function stageFileOf(
  stage: Stage,
  like: unknown,
  files: Record<keyof typeof stageSettings, StageFile> = stageSettings,
): StageFile {
  const own = ownStages.find((name) => name === stage);
  if (own !== undefined) {
    const file = files[own];
    if (like === undefined || like === file.like) return file;
    throw new SynthesisError(`The stage ${stage} has settings of its own: leave out -c like`);
  }
  const model = models.find((name) => name === like);
  if (model === undefined)
    throw new SynthesisError(
      like === undefined
        ? `The stage "${stage}" has no settings of its own: add -c like=dev or -c like=prod, whose settings it takes. ` +
            `Or name a stage with settings: ${ownStages.join(', ')}`
        : `The stage "${stage}" is like ${JSON.stringify(like)}, but it can only be like one of: ${models.join(', ')}`,
    );
  const { domainName, certificateArn, ...file } = files[model];
  return { ...file, tableName: tableNameOf(stage) };
}
