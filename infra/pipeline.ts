import { App } from 'aws-cdk-lib/core';
import { pipelineSettingsOf } from './stack/pipeline-settings.ts';
import { pipelineStackName, PipelineStack } from './stack/pipeline-stack.ts';
import { runApp } from './synthesis-error.ts';

/** The CDK app of the pipeline's roles: `npx cdk deploy --app "node infra/pipeline.ts" -c repository=acme/sales`. */
await runApp(() => {
  const app = new App();
  new PipelineStack(app, pipelineStackName, pipelineSettingsOf(app.node.getAllContext()));
  app.synth();
});
