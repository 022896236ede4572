import { App } from 'aws-cdk-lib';
import { join } from 'node:path';
import { bundle } from './bundle/bundle.ts';
import { authorizerEntry, findContracts } from './functions.ts';
import { openApiDocument } from './open-api/open-api.ts';
import { SalesPipelineStack } from './stack/sales-pipeline-stack.ts';
import { parseOriginationIdentity } from './stack/sms.ts';
import { parseStage, stackNameOf } from './stack/stage.ts';
import { SynthesisError } from './synthesis-error.ts';

/** The CDK app: `npx cdk synth -c stage=dev|prod [-c smsOriginationIdentity=ARN]`. The local machine runs this same file. */
async function synthesize(): Promise<void> {
  const app = new App({
    // Takes longer than all the rest: the tests ask for it, so that a synthesis can stay quick.
    builtinCloudFormationValidation: process.env['CDK_VALIDATION'] === 'true',
  });
  const stage = parseStage(app.node.tryGetContext('stage'));
  const smsFrom = parseOriginationIdentity(app.node.tryGetContext('smsOriginationIdentity'));
  const contracts = await findContracts();
  const bundles = join(app.outdir, 'functions');
  const code = await bundle([authorizerEntry, ...contracts.operations.map(({ entry }) => entry)], bundles, {
    OPEN_API_DOCUMENT: JSON.stringify(openApiDocument(contracts)),
  });
  new SalesPipelineStack(app, stackNameOf(stage), {
    stage,
    smsFrom,
    operations: contracts.operations,
    code,
  });
  app.synth();
}

try {
  await synthesize();
} catch (error) {
  if (!(error instanceof SynthesisError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
