import { join } from 'node:path';
import { LocalError } from '../../../infra/local/local-error.ts';
import { startMemoryService } from '../memory-service.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import {
  firstMissing,
  installPackages,
  installPython,
  missingGo,
  missingPackages,
  missingPython,
  type Packages,
} from '../tools.ts';
import { sendByGot, sendByUrllib3 } from './clients.ts';
import { effectsOn } from './effects.ts';
import { installProxy, withProxy } from './proxy.ts';
import type { Answer, KeyedRequest } from './task.ts';

const packages: Packages = { from: import.meta.dirname, one: 'got', called: 'the packages of got' };

/** Share of the answers that the proxy cuts off. */
const cutOff = 0.4;

/** Lets a proxy cut off answers, while clients that know nothing of this API repeat their requests blindly. */
export const retries: Part = {
  name: 'retries',
  about: 'repeats requests whose answers are cut off by toxiproxy, with got and urllib3: each has one effect',
  missing: () =>
    firstMissing(
      missingGo('which toxiproxy is written in'),
      missingPackages(packages),
      missingPython('urllib3'),
    ),
  run: async (folder) => {
    await using opened = new AsyncDisposableStack();
    const [got, programs, toxiproxy, service] = await Promise.all([
      runStep('got is installed', () => installPackages(packages, join(folder, 'got'))),
      runStep('urllib3 is installed', () =>
        installPython(import.meta.dirname, join(folder, 'python'), 'urllib3'),
      ),
      runStep('toxiproxy is built', () => installProxy(folder)),
      runStep('The service is there', startMemoryService).then((one) =>
        opened.adopt(one, ({ close }) => close()),
      ),
    ]);
    await withProxy(toxiproxy, service.baseUrl, cutOff, async (baseUrl) => {
      const { token } = service;
      for (const { what, requests, count, each } of await effectsOn(service)) {
        const before = await count();
        const half = requests.length / 2;
        const answers = await Promise.all([
          sendByGot({ baseUrl, token, requests: requests.slice(0, half) }, got),
          sendByUrllib3({ baseUrl, token, requests: requests.slice(half) }, programs, folder),
        ]);
        const replayed = check(what, requests, answers.flat());
        const made = (await count()) - before;
        if (made !== requests.length * each)
          throw new LocalError(`${requests.length * each} ${what} were asked for, and ${made} made.`);
        print(`${made} ${what} by ${requests.length} requests; ${replayed} were answered by a repeat.`);
      }
    });
  },
};

/** Number of answers that are repeats. @throws LocalError for a failure, or if no answer was cut off */
function check(what: string, requests: readonly KeyedRequest[], answers: readonly Answer[]): number {
  const failed = answers.find(({ status }) => status >= 300);
  if (failed ?? answers.length !== requests.length)
    throw new LocalError(`A request for ${what} failed: ${JSON.stringify(failed)}`);
  const replayed = answers.filter(({ isReplayed }) => isReplayed).length;
  if (replayed === 0) throw new LocalError(`No answer for ${what} was cut off, so nothing was proved.`);
  return replayed;
}

const print = (line: string) => process.stdout.write(`  ${line}\n`);
