import { join } from 'node:path';
import type { Part } from '../part.ts';
import { withEmulator } from './emulator.ts';
import { runStep } from '../run-step.ts';
import { installPython, missingPython } from '../tools.ts';
import { TriedStage } from './tried-stage.ts';

/** Tries the template and the stack with tools made by others. */
export const cloudformation: Part = {
  name: 'cloudformation',
  about: 'deploys the stacks into MiniStack, an emulator of AWS, tests them there, changes and deletes them',
  missing: () => missingPython('the emulator of AWS'),
  run: async (folder) => {
    const programs = await runStep('The emulator is installed', () =>
      installPython(import.meta.dirname, join(folder, 'tools'), 'the emulator of AWS'),
    );
    await withEmulator({ programs, folder: join(folder, 'emulator') }, async (emulator) => {
      const stage = new TriedStage(emulator, { programs, folder });
      try {
        await tryOut(stage);
      } finally {
        await stage.close();
      }
    });
  },
};

async function tryOut(stage: TriedStage): Promise<void> {
  await runStep('The account is prepared', () => stage.bootstrap());
  await runStep('The stacks are deployed, and are what was meant', () => stage.deploy());
  await runStep('Roles allow what they must, and no more', () => stage.checkRoles());
  await runStep('An organization is founded, and served', () => stage.foundOrganization());
  await runStep('A text that is published to the topic is with its lead', () => stage.receiveText());
  await runStep('An event arrives at a webhook, verified', () => stage.deliverWebhook());
  await runStep('Every operation succeeds, and needs a token', () => stage.callEveryOperation());
  await runStep('Functional tests pass, and find that keys are not supplied', () =>
    stage.test('not supplied', 'forms-browsers'),
  );
  await runStep('Watched changes replace the code of a running function', () => stage.watch());
  await runStep('The service is deleted while texts wait, and a changed one stores each of them', () =>
    stage.replaceService(),
  );
  await runStep('Roles that require each key are deployed, and serve the same data', () =>
    stage.requireLeadingKeys(),
  );
  await runStep('Functional tests pass there, and find that keys are supplied', () =>
    stage.test('supplied', 'scopes'),
  );
  await runStep('The stacks are deleted, and nothing is left but roles for logs', () => stage.destroy());
}
