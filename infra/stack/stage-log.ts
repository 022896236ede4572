import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf } from './removal.ts';
import type { StageSettings } from './stage-settings.ts';
import { logGroupNameOf, type LogKind, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  kind: LogKind;
  settings: Pick<StageSettings, 'logRetentionDays'>;
}

/**
 * Log group of a stage: for all endpoints, for all workers, or for the access log. Each line of a function
 * names its operation.
 */
export class StageLog extends LogGroup {
  constructor(scope: Construct, id: string, { stage, kind, settings }: Props) {
    super(scope, id, {
      logGroupName: logGroupNameOf(stage, kind),
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
