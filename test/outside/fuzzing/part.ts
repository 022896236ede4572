import { join } from 'node:path';
import { show } from '../commands.ts';
import { startMemoryService } from '../memory-service.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { installPython, missingPython } from '../tools.ts';

const config = join(import.meta.dirname, 'schemathesis.toml');

/** Makes each run send the same requests, as long as the description stays the same. */
const seed = '1';

/** Sends to every operation what its description allows and forbids, and what other operations answered. */
export const fuzzing: Part = {
  name: 'fuzzing',
  about: 'calls every operation in many ways by Schemathesis, and compares the answers with the description',
  missing: () => missingPython('Schemathesis', 11),
  run: async (folder) => {
    await using opened = new AsyncDisposableStack();
    const [programs, service] = await Promise.all([
      runStep('Schemathesis is installed', () =>
        installPython(import.meta.dirname, join(folder, 'tools'), 'Schemathesis'),
      ),
      runStep('The service is there', startMemoryService).then((one) =>
        opened.adopt(one, ({ close }) => close()),
      ),
    ]);
    const { baseUrl, token, key } = service;
    const run = ['--no-color', '--config-file', config, 'run', `${baseUrl}/openapi`, '--seed', seed];
    const env = { ...process.env, TOKEN: token, KEY: key };
    // Schemathesis writes where it works.
    await show(join(programs, 'schemathesis'), run, { cwd: folder, env });
  },
};
