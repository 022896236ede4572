import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { deployedStages, stackNameOf } from '../../../infra/stack/stage.ts';
import type { Part } from '../part.ts';
import { missingTools, installTools } from './tools.ts';
import { withEmulator } from './emulator.ts';
import { output } from '../commands.ts';
import { runStep } from '../run-step.ts';
import { TriedStack } from './tried-stack.ts';

/** Tries the template and the stack with tools made by others. */
export const cloudformation: Part = {
  name: 'cloudformation',
  about:
    'deploys the stack into MiniStack, an emulator of AWS, tests it there, changes and deletes it; cfn-lint',
  missing: missingTools,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloudformation-'));
    try {
      const programs = await runStep('The tools are installed', () => installTools(join(folder, 'tools')));
      await runStep('cfn-lint finds nothing', () => lint(programs, folder));
      await withEmulator({ programs, folder: join(folder, 'emulator') }, async (emulator) => {
        const stack = new TriedStack(emulator, { programs, folder });
        await tryOut(stack).finally(() => stack.close());
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function tryOut(stack: TriedStack): Promise<void> {
  await runStep('The account is prepared', () => stack.bootstrap());
  await runStep('The stack is deployed, and is what was meant', () => stack.deploy());
  await runStep('Roles allow what they must, and no more', () => stack.checkRoles());
  await runStep('An organization is founded, and served', () => stack.foundOrganization());
  await runStep('A text that is published to the topic is with its lead', () => stack.receiveText());
  await runStep('The functional tests pass', () => stack.test());
  await runStep('Changed code is deployed, and runs', () => stack.change());
  await runStep('The stack is deleted, and nothing is left but a role for logs', () => stack.destroy());
}

/**
 * Lints the templates of the deployed stages. The CDK writes a `DependsOn` besides a reference, which W3005
 * is about.
 */
async function lint(programs: string, folder: string): Promise<void> {
  const templates: string[] = [];
  for (const stage of deployedStages) {
    await runApp(join(folder, stage), stage);
    templates.push(join(folder, stage, `${stackNameOf(stage)}.template.json`));
  }
  const said = await output(join(programs, 'cfn-lint'), ['--ignore-checks', 'W3005', '--', ...templates], {
    cwd: root,
    env: process.env,
  });
  deepStrictEqual(said.trim(), '');
}
