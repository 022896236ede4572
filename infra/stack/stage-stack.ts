import { Stack, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { refuseDeployment } from './sam-local.ts';
import type { StageSettings } from './settings-schema.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'account' | 'region' | 'like'>;
}

/**
 * Stack of a stage, in the account and region that its settings name. Without these settings, the account and region
 * are those of the person who deploys. The stack and all its resources have the same tags. Nobody deletes the stack by
 * one command, except in a stage like `dev`.
 */
export class StageStack extends Stack {
  constructor(scope: Construct, id: string, { stage, settings }: Props) {
    const { account, region, like } = settings;
    const terminationProtection = like !== 'dev';
    const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
    const tags = { service: 'SalesPipeline', stage };
    // CloudFormation counts the spaces, too: a template has at most 1 MB.
    super(scope, id, { env, tags, terminationProtection, suppressTemplateIndentation: true });
    for (const [name, value] of Object.entries(tags)) Tags.of(this).add(name, value);
    if (stage === 'local') refuseDeployment(this);
  }
}
