import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkerFunction } from '../../../../infra/functions.ts';
import type { StageSettings } from '../../../../infra/stack/stage-settings.ts';
import {
  allSettings,
  getLead,
  submitForm,
  synthesizeStack,
  templateOf,
} from '../../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../../support/worker-kinds.ts';

/** Two workers of each kind. */
export const tenWorkers: WorkerFunction[] = ['', 'also-'].flatMap((prefix) =>
  workersOfEachKind.map(({ worker, ...rest }) => ({
    ...rest,
    worker: { ...worker, name: `${prefix}${worker.name}` },
    entry: `functions/workers/${prefix}${worker.name}.ts`,
  })),
);

/** Resources of a `prod` stack with an endpoint, an endpoint for keys, and these workers. */
export function watchedStack({
  settings = allSettings,
  workers = workersOfEachKind,
}: { settings?: StageSettings; workers?: WorkerFunction[] } = {}): ReturnType<
  typeof templateOf
>['resources'] {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  try {
    synthesizeStack(folder, {
      stage: 'prod',
      settings,
      contracts: { operations: [getLead, submitForm], workers },
    });
    return templateOf(folder).resources;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
