import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../../../infra/local/local-error.ts';
import { output } from '../commands.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { missingGo } from '../tools.ts';
import type { HistoryEntry } from './history.ts';
import { recordInSimulation } from './in-simulation.ts';
import { recordOverHttp } from './over-http.ts';

/** Checks by porcupine that requests about one lead take effect one after the other, each at one moment. */
export const linearizability: Part = {
  name: 'linearizability',
  about: 'lets clients change one lead at once, and checks their history by porcupine',
  missing: () => missingGo('which porcupine is written in'),
  run: async (folder) => {
    const checker = join(folder, 'checker');
    await output('go', ['build', '-o', checker, '.'], { cwd: join(import.meta.dirname, 'go') });
    const check = async (what: string, verdict: 'Ok' | 'Illegal', record: () => Promise<HistoryEntry[]>) =>
      runStep(`  ${what}: ${verdict}`, async () => {
        const file = join(folder, 'history.json');
        const history = await record();
        const statuses = new Set(history.map(({ answer }) => answer.status));
        if (![200, 201, 404].every((status) => statuses.has(status)))
          throw new LocalError(`${what}: the history has only the statuses ${[...statuses].join(', ')}.`);
        writeFileSync(file, JSON.stringify(history));
        const found = await output(checker, [file]);
        if (found !== verdict) throw new LocalError(`${what}: ${found} instead of ${verdict}.`);
        return history;
      });
    const history = await check('Requests to the local machine', 'Ok', recordOverHttp);
    await check('The same, with an old answer to the last read', 'Illegal', () =>
      Promise.resolve(withOldRead(history)),
    );
    await check('Requests in the simulation', 'Ok', recordInSimulation);
    await check('Requests in the simulation, without If-Match', 'Illegal', () =>
      recordInSimulation({ ignoresIfMatch: true }),
    );
  },
};

/** The history with the last answer to a read replaced by that of the first request, which created the lead. */
function withOldRead(history: readonly HistoryEntry[]): HistoryEntry[] {
  const last = history.findLast(({ request, answer }) => request.kind === 'read' && answer.status === 200);
  const first = history.find(({ answer }) => answer.status === 201);
  if (!last || !first) throw new LocalError('The history has no lead that was created and read.');
  const old = { ...last, answer: { ...first.answer, status: 200 } };
  return history.map((entry) => (entry === last ? old : entry));
}
