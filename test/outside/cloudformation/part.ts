import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { dataStackNameOf, deployedStages, stackNameOf } from '../../../infra/stack/stage.ts';
import type { Part } from '../part.ts';
import { missingTools, installTools } from './tools.ts';
import { withEmulator } from './emulator.ts';
import { output } from '../commands.ts';
import { runStep } from '../run-step.ts';
import { TriedStage } from './tried-stage.ts';

/** Tries the template and the stack with tools made by others. */
export const cloudformation: Part = {
  name: 'cloudformation',
  about:
    'deploys the stacks into MiniStack, an emulator of AWS, tests them there, changes and deletes them; cfn-lint',
  missing: missingTools,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloudformation-'));
    try {
      const programs = await runStep('The tools are installed', () => installTools(join(folder, 'tools')));
      await runStep('cfn-lint finds nothing', () => lint(programs, folder));
      await withEmulator({ programs, folder: join(folder, 'emulator') }, async (emulator) => {
        const stage = new TriedStage(emulator, { programs, folder });
        await tryOut(stage).finally(() => stage.close());
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function tryOut(stage: TriedStage): Promise<void> {
  await runStep('The account is prepared', () => stage.bootstrap());
  await runStep('A deployment into another account is refused', () => stage.deployElsewhere());
  await runStep('The stacks are deployed, and are what was meant', () => stage.deploy());
  await runStep('Roles allow what they must, and no more', () => stage.checkRoles());
  await runStep('An organization is founded, and served', () => stage.foundOrganization());
  await runStep('A text that is published to the topic is with its lead', () => stage.receiveText());
  await runStep('An event arrives at a webhook, verified', () => stage.deliverWebhook());
  await runStep('The functional tests pass', () => stage.test());
  await runStep('The question about LeadingKeys is answered: not supplied', () =>
    stage.checkLeadingKeys('not supplied'),
  );
  await runStep('Changed code is deployed, and runs', () => stage.change());
  await runStep('The service is deleted, and another one serves the same data', () => stage.replaceService());
  await runStep('With requireLeadingKeys, a write is refused whose key is not supplied', () =>
    stage.requireLeadingKeys(),
  );
  await runStep('The same write is carried out with its key, and roles limit every key', () =>
    stage.supplyEveryKey(),
  );
  await runStep('The question about LeadingKeys is answered: supplied', () =>
    stage.checkLeadingKeys('supplied'),
  );
  await runStep('The stacks are deleted, and nothing is left but roles for logs', () => stage.destroy());
}

/**
 * Lints the templates of the deployed stages. The CDK writes a `DependsOn` besides a reference, which W3005
 * is about.
 */
async function lint(programs: string, folder: string): Promise<void> {
  const templates: string[] = [];
  for (const stage of deployedStages) {
    await runApp(join(folder, stage), stage, { settings: { alarmAddresses: 'none' } });
    const stacks = [dataStackNameOf(stage), stackNameOf(stage)];
    templates.push(...stacks.map((stack) => join(folder, stage, `${stack}.template.json`)));
  }
  const said = await output(join(programs, 'cfn-lint'), ['--ignore-checks', 'W3005', '--', ...templates], {
    cwd: root,
    env: process.env,
  });
  deepStrictEqual(said.trim(), '');
}
