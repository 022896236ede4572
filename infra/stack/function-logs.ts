import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf } from './removal.ts';
import type { StageSettings } from './stage-settings.ts';
import { logGroupNameOf, type FunctionKind, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  kind: FunctionKind;
  settings: Pick<StageSettings, 'logRetentionDays'>;
}

/** The log of every function of a kind: each line says of which operation it is. */
export class FunctionLogs extends LogGroup {
  constructor(scope: Construct, id: string, { stage, kind, settings }: Props) {
    super(scope, id, {
      logGroupName: logGroupNameOf(stage, kind),
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
