import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Contracts } from '../../infra/functions.ts';
import { ProjectCopy } from '../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

/** Finds the functions of the copy. */
async function find(): Promise<Contracts> {
  const file = pathToFileURL(join(project.folder, 'infra/functions.ts')).href;
  const { findContracts } = (await import(file)) as { findContracts: () => Promise<Contracts> };
  return findContracts();
}

const worker = (name: string) =>
  `worker({
    name: '${name}',
    summary: 'Ticks',
    breaks: 'Nothing.',
    on: { schedule: { everyMinutes: 5 } },
    access: 'none',
    timeoutSeconds: 10,
    retries: 0,
    deadLetters: { keptDays: 1 },
  })`;
/** Adds a contract that exports a worker. */
function contract(exported: string, name: string): void {
  const text = `import { worker } from './worker.ts';\nexport const ${exported} = ${worker(name)};\n`;
  project.write('shared/contract/extra.ts', text);
}

describe('every function is found, by its kind', () => {
  test('the authorizer, the endpoints, and the workers', async () => {
    const { functions, operations, workers } = await find();
    expect(functions).toEqual([
      { kind: 'authorizer', entry: 'functions/authorizer/authorize.ts' },
      ...operations,
      ...workers,
    ]);
    expect(operations.map(({ entry }) => entry)).toContain('functions/leads/list-leads.ts');
    expect(workers.map(({ worker: { name }, entry }) => [name, entry])).toContainEqual([
      'resolve-sending',
      'functions/workers/resolve-sending.ts',
    ]);
  });

  test('a new worker, from only two new files', async () => {
    contract('turnOverWorker', 'turn-over');
    project.write('functions/workers/turn-over.ts', 'export const handler = () => undefined;');
    const { workers } = await find();
    expect(workers).toContainEqual(
      expect.objectContaining({ kind: 'worker', entry: 'functions/workers/turn-over.ts' }),
    );
  });
});

describe('one sentence refuses', () => {
  test('a worker without a function', async () => {
    contract('turnOverWorker', 'turn-over');
    await expect(find()).rejects.toThrow(
      /^The worker turn-over has no function: add functions\/workers\/turn-over\.ts$/,
    );
  });

  test('a worker that is exported under another name', async () => {
    contract('turnOver', 'turn-over');
    await expect(find()).rejects.toThrow(
      /^shared\/contract\/extra\.ts exports the worker turn-over as turnOver: name it turnOverWorker$/,
    );
  });

  test('a function that serves no worker', async () => {
    project.write('functions/workers/turn-over.ts', '');
    await expect(find()).rejects.toThrow(
      /^functions\/workers\/turn-over\.ts serves no worker: export one of that name from shared\/contract$/,
    );
  });

  test('a function that serves no endpoint', async () => {
    mkdirSync(join(project.folder, 'functions/extra'));
    project.write('functions/extra/turn-over.ts', '');
    await expect(find()).rejects.toThrow(
      /^functions\/extra\/turn-over\.ts serves no endpoint: export one of that name from shared\/contract$/,
    );
  });

  test('a worker with the name of another function', async () => {
    contract('listLeadsWorker', 'list-leads');
    project.write('functions/workers/list-leads.ts', '');
    await expect(find()).rejects.toThrow(
      'functions/workers/list-leads.ts has the name of functions/leads/list-leads.ts: name one of them otherwise',
    );
  });
});
