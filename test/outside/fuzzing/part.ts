import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../../../infra/local/data-folder.ts';
import { ensureDemo } from '../../../infra/local/demo/demo.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { Machine } from '../../../infra/local/machine.ts';
import { servedApi } from '../../support/served-api.ts';
import { unthrottled } from '../../support/unthrottled.ts';
import { show } from '../commands.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { installTools, missingTools } from './tools.ts';

const config = join(import.meta.dirname, 'schemathesis.toml');

/** Makes each run send the same requests, as long as the description stays the same. */
const seed = '1';

/** Sends to every operation what its description allows and forbids, and what other operations answered. */
export const fuzzing: Part = {
  name: 'fuzzing',
  about: 'calls every operation in many ways by Schemathesis, and compares the answers with the description',
  missing: missingTools,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fuzzing-'));
    await using opened = new AsyncDisposableStack();
    opened.defer(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const [programs, service] = await Promise.all([
      runStep('Schemathesis is installed', () => installTools(join(folder, 'tools'))),
      runStep('The service is there', startService).then((one) => opened.adopt(one, ({ close }) => close())),
    ]);
    const { baseUrl, token, key } = service;
    const run = ['--no-color', '--config-file', config, 'run', `${baseUrl}/openapi`, '--seed', seed];
    const env = { ...process.env, TOKEN: token, KEY: key };
    // Schemathesis writes where it works.
    await show(join(programs, 'schemathesis'), run, { cwd: folder, env });
  },
};

/**
 * Starts a local machine in memory with the demo data, whose ids stand in the examples of the description.
 */
async function startService() {
  const folder = temporaryFolder();
  const machine = await Machine.start({
    ...folder,
    settings: unthrottled,
    watch: false,
    keepSms: () => undefined,
  });
  const served = await servedApi((request) => machine.answer(request));
  const [demo] = await ensureDemo(machine);
  if (!demo) throw new LocalError('The local machine has no demo data.');
  const close = async () => {
    await served.close();
    await machine.close();
    folder.release();
  };
  return { baseUrl: served.baseUrl, token: demo.token, key: demo.channels.key, close };
}
