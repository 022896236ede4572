import { App, type Stack } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { pipelineSettingsOf } from '../../../infra/stack/pipeline-settings.ts';
import { PipelineStack } from '../../../infra/stack/pipeline-stack.ts';
import { allSettings, fileSettings, synthesizeStacks } from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';
import { newFolder } from '../../support/new-folder.ts';

const folder = newFolder();

const { operations, workers } = await findContracts();
const contracts = { operations, workers: [...workers, ...workersOfEachKind] };

/** Lists every finding of AWS's recommended practices that has no reason, with its construct. */
function findingsOf(...stacks: Stack[]): string[] {
  return [new AwsSolutionsChecks(), new ServerlessChecks()].flatMap((pack) =>
    stacks
      .flatMap((stack) => pack.validateScope(stack).violations)
      .flatMap(({ ruleName, description, violatingResources }) =>
        violatingResources.map(
          ({ constructPath }) => `${ruleName} at ${constructPath ?? ''}: ${description}`,
        ),
      ),
  );
}

test.each([
  ['dev', 'the settings of its file', fileSettings('dev')],
  ['prod', 'every setting', allSettings],
] as const)('cdk-nag finds nothing in %s that is not explained, with %s', (stage, _, settings) => {
  const { data, service } = synthesizeStacks(join(folder, stage), { stage, settings, contracts });
  expect(findingsOf(data, service)).toEqual([]);
});

test('cdk-nag finds nothing in the roles of the pipeline that is not explained', () => {
  const app = new App({ outdir: join(folder, 'pipeline') });
  const stack = new PipelineStack(app, 'Pipeline', pipelineSettingsOf({ repository: 'acme/sales' }));
  app.synth();
  // pipeline.test.ts has every resource with a wildcard.
  expect(findingsOf(stack).filter((finding) => !finding.startsWith('AwsSolutions-IAM5'))).toEqual([]);
});
