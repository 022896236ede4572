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

/** A log of a stage: of its functions of a kind, where each line says of which operation it is, or of every access. */
export class StageLog extends LogGroup {
  constructor(scope: Construct, id: string, { stage, kind, settings }: Props) {
    super(scope, id, {
      logGroupName: logGroupNameOf(stage, kind),
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
