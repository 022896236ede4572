import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { allSettings, fileSettings, synthesizeStacks } from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';

const folder = mkdtempSync(join(tmpdir(), 'nag-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const { operations, workers } = await findContracts();
const contracts = { operations, workers: [...workers, ...workersOfEachKind] };

/** Lists every finding of AWS's recommended practices that has no reason, with its construct. */
function findingsOf({ data, service }: ReturnType<typeof synthesizeStacks>): string[] {
  return [new AwsSolutionsChecks(), new ServerlessChecks()].flatMap((pack) =>
    [data, service]
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
  expect(findingsOf(synthesizeStacks(join(folder, stage), { stage, settings, contracts }))).toEqual([]);
});
