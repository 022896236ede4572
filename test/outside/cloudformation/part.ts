import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { dataStackNameOf, stackNameOf } from '../../../infra/stack/resource-names.ts';
import type { Part } from '../part.ts';
import { withEmulator } from './emulator.ts';
import { output } from '../commands.ts';
import { runStep } from '../run-step.ts';
import { installPython, missingPython } from '../tools.ts';
import { TriedStage } from './tried-stage.ts';

/** Tries the template and the stack with tools made by others. */
export const cloudformation: Part = {
  name: 'cloudformation',
  about:
    'deploys the stacks into MiniStack, an emulator of AWS, tests them there, changes and deletes them; cfn-lint',
  missing: () => missingPython('the emulator of AWS'),
  run: async (folder) => {
    const programs = await runStep('The tools are installed', () =>
      installPython(import.meta.dirname, join(folder, 'tools'), 'the emulator of AWS and cfn-lint'),
    );
    // A deployment waits for seconds. The linter works meanwhile.
    await Promise.all([
      runStep('cfn-lint finds nothing', () => lint(programs, folder)),
      withEmulator({ programs, folder: join(folder, 'emulator') }, async (emulator) => {
        const stage = new TriedStage(emulator, { programs, folder });
        await tryOut(stage).finally(() => stage.close());
      }),
    ]);
  },
};

/** Files of the functional tests that add something to a call of every operation: CORS, keys, and unique values. */
const tests = ['forms-browsers', 'isolation'];

async function tryOut(stage: TriedStage): Promise<void> {
  await runStep('The account is prepared', () => stage.bootstrap());
  await runStep('The stacks are deployed, and are what was meant', () => stage.deploy());
  await runStep('Roles allow what they must, and no more', () => stage.checkRoles());
  await runStep('An organization is founded, and served', () => stage.foundOrganization());
  await runStep('A text that is published to the topic is with its lead', () => stage.receiveText());
  await runStep('An event arrives at a webhook, verified', () => stage.deliverWebhook());
  await runStep('Every operation succeeds, and needs a token', () => stage.callEveryOperation());
  await runStep('Functional tests pass, and find that keys are not supplied', () =>
    stage.test('not supplied', tests),
  );
  await runStep('Changed code is deployed, and runs', () => stage.change());
  await runStep('Watched changes replace the code of a running function', () => stage.watch());
  await runStep('The service is deleted while texts wait, and another one stores each of them', () =>
    stage.replaceService(),
  );
  await runStep('Roles that require each key are deployed, and serve the same data', () =>
    stage.requireLeadingKeys(),
  );
  await runStep('Functional tests pass there, and find that keys are supplied', () =>
    stage.test('supplied', ['scopes']),
  );
  await runStep('The stacks are deleted, and nothing is left but roles for logs', () => stage.destroy());
}

/**
 * Lints the templates of `prod`, which has all that `dev` has. The CDK writes a `DependsOn` besides a reference, which W3005 is about.
 */
async function lint(programs: string, folder: string): Promise<void> {
  const assembly = join(folder, 'prod');
  await runApp(assembly, 'prod', { settings: { alarmAddresses: 'none' } });
  const stacks = [dataStackNameOf('prod'), stackNameOf('prod')];
  const templates = stacks.map((stack) => join(assembly, `${stack}.template.json`));
  const args = ['--ignore-checks', 'W3005', '--', ...templates];
  deepStrictEqual((await output(join(programs, 'cfn-lint'), args, { cwd: root })).trim(), '');
}
