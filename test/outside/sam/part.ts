import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { stackNameOf } from '../../../infra/stack/resource-names.ts';
import { output } from '../commands.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { installPython, missingPython } from '../tools.ts';
import { DockerStandIn } from './docker-stand-in.ts';
import { withLocalMachine, type LocalMachine } from './local-machine.ts';
import { Sam } from './sam.ts';
import { checkTemplate } from './sam-template.ts';
import { checkInvoked, checkServed } from './served.ts';

/** Tries docs/sam-local.md, with a stand-in for Docker that runs functions as processes. */
export const sam: Part = {
  name: 'sam',
  about: 'runs the stage local by the SAM CLI, on the data of a local machine, without Docker',
  missing: () => missingPython('the SAM CLI'),
  run: async (folder) => {
    const assembly = join(folder, 'cdk.out');
    const [programs] = await Promise.all([
      runStep('The SAM CLI is installed', () =>
        installPython(import.meta.dirname, join(folder, 'tools'), 'the SAM CLI'),
      ),
      runStep('The stage local is synthesized', () => synthesize(assembly)),
    ]);
    const template = join(assembly, `${stackNameOf('local')}.template.json`);
    const docker = await DockerStandIn.start();
    try {
      await withLocalMachine(async (machine) => {
        const { databasePort } = machine;
        const setting = { programs, folder: join(folder, 'sam'), template, docker: docker.address };
        await tryOut(new Sam({ ...setting, databasePort }), machine);
      });
    } finally {
      await docker.close();
    }
  },
};

/** Synthesizes the template as docs/sam-local.md says. */
async function synthesize(folder: string): Promise<void> {
  const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');
  await output(process.execPath, [cdk, 'synth', '--quiet', '-c', 'stage=local', '-o', folder], { cwd: root });
}

async function tryOut(cli: Sam, machine: LocalMachine): Promise<void> {
  await runStep('SAM sees every function and route of the contracts, and no other', async () =>
    checkTemplate(await cli.readTemplate()),
  );
  await runStep('sam local start-api serves the same data with the same token', () =>
    cli.withApi((samUrl) => checkServed(samUrl, machine)),
  );
  await runStep('sam local invoke runs a function by itself', () => checkInvoked(cli, machine));
}
