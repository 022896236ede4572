import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from './stage-settings.ts';
import { tableNameOf, type Stage } from './stage.ts';

const dev: StageSettings = {
  tableName: tableNameOf('dev'),
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
  tracing: false,
  accountLogRole: 'make',
  webAcl: 'none',
  alarmAddresses: [],
};

/**
 * Settings of each stage: docs/operations.md, Settings. Try another value without changing this file by `npx
 * cdk deploy --all -c stage=dev -c logRetentionDays=30`.
 */
export const stageSettings: Readonly<Record<Stage, StageSettings>> = {
  dev,
  prod: {
    ...dev,
    tableName: tableNameOf('prod'),
    logRetentionDays: RetentionDays.ONE_YEAR,
    requestsPerSecond: 1000,
    requestBurst: 2000,
    webAcl: 'own',
  },
  // The stage is never deployed. `sam local` works on the table of `npm start`, which runs the stage `dev`.
  local: dev,
};
