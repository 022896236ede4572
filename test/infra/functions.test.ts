import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { newFolder } from '../support/new-folder.ts';

let folder: string;

const authorizer = 'functions/authorizer/authorize.ts';
const contract = 'shared/contract/leads.ts';
const listLeads = `export const listLeadsEndpoint = { kind: 'endpoint' };`;
const turnOver = `export const turnOverWorker = { kind: 'worker', name: 'turn-over' };`;

/** Finds the functions of a project that has these files. */
function find(files: Record<string, string>) {
  folder = newFolder();
  for (const [file, text] of Object.entries({ [authorizer]: '', ...files })) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return findContracts(folder);
}

test('every function is found by its kind: the authorizer, the endpoints, and the workers', async () => {
  const entries = ['functions/leads/list-leads.ts', 'functions/workers/turn-over.ts'] as const;
  const { functions, operations, workers } = await find({
    [contract]: `${listLeads}${turnOver}`,
    ...Object.fromEntries(entries.map((entry) => [entry, ''])),
  });
  expect(operations).toMatchObject([{ operationId: 'listLeads', entry: entries[0] }]);
  expect(workers).toMatchObject([{ worker: { name: 'turn-over' }, entry: entries[1] }]);
  expect(functions).toEqual([{ kind: 'authorizer', entry: authorizer }, ...operations, ...workers]);
});

test('a further contract file of a subject names the subject', async () => {
  const { operations } = await find({
    'shared/contract/lead-batch.ts': `export const subject = 'leads'; ${listLeads}`,
    'functions/leads/list-leads.ts': '',
  });
  expect(operations).toMatchObject([{ entry: 'functions/leads/list-leads.ts' }]);
});

test.each<[string, Record<string, string>, string]>([
  [
    'a worker without a function',
    { [contract]: turnOver },
    'The worker turn-over has no function: add functions/workers/turn-over.ts',
  ],
  [
    'an endpoint without a function',
    { [contract]: listLeads },
    'The endpoint listLeads has no function: add functions/leads/list-leads.ts',
  ],
  [
    'a worker that is exported under another name',
    { [contract]: turnOver.replace('turnOverWorker', 'turnOver') },
    `${contract} exports the worker turn-over as turnOver: name it turnOverWorker`,
  ],
  [
    'an endpoint that is exported under another name',
    { [contract]: listLeads.replace('listLeadsEndpoint', 'listLeads') },
    `${contract} exports the endpoint listLeads: name it listLeadsEndpoint`,
  ],
  [
    'a function that serves no worker',
    { 'functions/workers/turn-over.ts': '' },
    'functions/workers/turn-over.ts serves no worker: export it by that name from shared/contract',
  ],
  [
    'a function that serves no endpoint',
    { 'functions/extra/turn-over.ts': '' },
    'functions/extra/turn-over.ts serves no endpoint: export it by that name from shared/contract',
  ],
  [
    'a worker with the name of another function',
    {
      [contract]: `${listLeads} export const listLeadsWorker = { kind: 'worker', name: 'list-leads' };`,
      'functions/leads/list-leads.ts': '',
      'functions/workers/list-leads.ts': '',
    },
    'functions/workers/list-leads.ts has the name of functions/leads/list-leads.ts: name one of them otherwise',
  ],
])('one sentence refuses: %s', async (_, files, sentence) => {
  await expect(find(files)).rejects.toThrow(new Error(sentence));
});
