import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageFile, StageSettings } from './settings-schema.ts';
import { tableNameOf } from './resource-names.ts';

const common: Omit<StageFile, 'tableName'> = {
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

const dev: StageSettings = { ...common, tableName: tableNameOf('dev'), alarmAddresses: 'none' };

/** Settings of `prod`. Add the `alarmAddresses`; until then, every command for `prod` has to name them. */
const prod: StageFile = {
  ...common,
  tableName: tableNameOf('prod'),
  logRetentionDays: RetentionDays.ONE_YEAR,
  requestsPerSecond: 1000,
  requestBurst: 2000,
  keepWarm: true,
  webAcl: 'own',
};

/**
 * Settings of each stage: docs/operations.md, Settings. Try another value without changing this file by `npx
 * cdk deploy --all -c stage=dev -c logRetentionDays=30`.
 *
 * `local` is never deployed. `sam local` works on the table of `npm start`, which runs the stage `dev`.
 */
export const stageSettings = { dev, prod, local: dev } as const;
