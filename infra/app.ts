import { App } from 'aws-cdk-lib/core';
import { join } from 'node:path';
import { bundle } from './bundle/bundle.ts';
import { findContracts, isBundledApart } from './functions.ts';
import { openApiDocument } from './open-api/open-api.ts';
import { siteFilesOf } from './site/site-files.ts';
import { DataStack } from './stack/data-stack.ts';
import { ServiceStack } from './stack/service-stack.ts';
import { isInStage, settingsOf } from './stack/settings-schema.ts';
import { dataStackNameOf, stackNameOf } from './stack/resource-names.ts';
import { parseStage } from './stack/stage.ts';
import { stageFileOf } from './stack/stages.ts';
import { runApp } from './synthesis-error.ts';

/**
 * Runs the CDK app: `npx cdk synth -c stage=dev|prod`, or `-c stage=NAME -c like=dev|prod`. `-c name=value` overrides
 * a setting. The local machine runs this same file.
 */
async function synthesize(): Promise<void> {
  const app = new App({
    // Only the tests ask for this validation, because it takes longer than everything else.
    builtinCloudFormationValidation: process.env['CDK_VALIDATION'] === 'true',
  });
  const stage = parseStage(app.node.tryGetContext('stage'));
  const settings = settingsOf(stageFileOf(stage, app.node.tryGetContext('like')), app.node.getAllContext());
  const contracts = await findContracts();
  const bundles = join(app.outdir, 'functions');
  const description = openApiDocument(contracts);
  const define = {
    OPEN_API_DOCUMENT: JSON.stringify(description),
    API_VERSION: description.info.version,
  };
  // Bundled in two passes: modules that only the second pass uses would split the chunks that functions of the first
  // pass share.
  const deployed = contracts.functions.filter((served) => isInStage(served, settings));
  const files = await siteFilesOf(contracts, settings);
  const passes = Map.groupBy(deployed, isBundledApart).values();
  const bundled = await Promise.all(
    [...passes].map((functions) =>
      bundle(
        functions.map(({ entry }) => entry),
        bundles,
        define,
        files,
      ),
    ),
  );
  const code = new Map(bundled.flatMap((bundles) => [...bundles]));
  const data = new DataStack(app, dataStackNameOf(stage), { stage, settings, contracts });
  new ServiceStack(app, stackNameOf(stage), { stage, settings, contracts, code, data });
  app.synth();
}

await runApp(synthesize);
