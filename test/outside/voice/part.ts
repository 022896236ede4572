import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { installPackages, missingPackages, type Packages } from '../tools.ts';
import { typedEvents } from './events.ts';
import { answersToRinging } from './ringing.ts';
import { startVoiceService } from './service.ts';
import { sendSigned } from './signatures.ts';
import { compileLiterals } from './types.ts';

const packages: Packages = {
  from: import.meta.dirname,
  one: 'retell-sdk',
  called: "the voice platforms' packages",
};

/** Compares what the tests and the service send with the voice platforms' own packages. */
export const voice: Part = {
  name: 'voice',
  about: 'compares events of calls, signatures and answers with the packages of Retell, Vapi and ElevenLabs',
  missing: () => missingPackages(packages),
  run: async (folder) => {
    await using opened = new AsyncDisposableStack();
    await runStep("The platforms' packages are installed", () => installPackages(packages, folder));
    const { newOrganization, close } = await runStep('The service is there', startVoiceService);
    opened.defer(close);
    const answers = await runStep('Each platform was told of a call that rings', async () =>
      answersToRinging(await newOrganization()),
    );
    const messages = [...typedEvents(), ...answers];
    await runStep(`${messages.length} events and answers fit the platforms' types`, () =>
      compileLiterals(folder, messages),
    );
    await runStep('Signed events are accepted, and refused with a changed byte', async () =>
      sendSigned(folder, await newOrganization()),
    );
  },
};
