import {
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMachine } from '../../../infra/local/data-folder.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { admin } from '../../support/admin.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/machine/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

const isSynthesis = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('infra/app.ts');

describe('npm start', () => {
  test('keeps answered writes over a kill -9, and ends with npm and its database', async () => {
    const first = project.start(['--port', '0', '--engine-port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const [, door = ''] = await first.until(/^The database is open to containers at (http:[^\s,]+), and /m);
    await checkDoor(door);
    const api = new ApiClient(baseUrl, tokens[0]);
    const { lead } = await api.call('createLead', { body: { name: 'Ann Lee' } });
    const answered = await untilAnswered(10, api);
    const started = descendants(first.pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    const text = new URLSearchParams({ from: '+61491570156', to: '+61491570737', text: 'Before the kill' });
    expect((await fetch(`${baseUrl}/local/texts`, { method: 'POST', body: text })).status).toBe(202);
    await first.end('SIGKILL');
    await gone(started);
    // The SMS was accepted, and the worker had no time to process it.
    const [queue = ''] = readdirSync(join(project.folder, 'kept/queues'));
    const leftIn = () => readdirSync(join(project.folder, 'kept/queues', queue));
    expect(leftIn()).toHaveLength(1);
    await expect(fetch(door)).rejects.toThrow();

    const second = project.start(['--port', '0', '--data', 'kept'], {}, { npm: true });
    const again = await second.ready();
    expect(again.tokens).toEqual(tokens);
    expect(first.output).toContain('synthesizing the template');
    expect(second.output).toContain('Nothing has changed since the functions were bundled');
    await second.until(/^WORKER receive-texts +ok/m);
    expect(leftIn()).toEqual([]);
    const same = new ApiClient(again.baseUrl, tokens[0]);
    for (const leadId of [lead.id, ...answered]) await same.call('getLead', { params: { leadId } });
    const { inquiries } = await same.call('listInquiries', { query: { limit: 2 } });
    expect(inquiries).toMatchObject([
      { source: 'SMS', summary: 'Before the kill' },
      { source: expect.not.stringMatching('SMS') as string },
    ]);
    await new ApiClient(again.baseUrl, tokens[1]).failure('getLead', 404, {
      params: { leadId: lead.id },
    });
    await same.call('deleteLead', { params: { leadId: lead.id } });
    await same.failure('getLead', 404, { params: { leadId: lead.id } });
    const all = ['organization', 'verify', '--all', '--local', '--data', join(project.folder, 'kept')];
    expect(await admin(all)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is whole') as string,
    });

    const meanwhile = project.start(['--port', '0', '--data', 'kept']);
    expect(await meanwhile.ended()).toBe(1);
    expect(meanwhile.errors).toMatch(
      /^The data folder kept is in use by process \d+: stop it, or choose another --data\.\n$/,
    );

    await storeAsAnotherVersion();
    const startedByNpm = descendants(second.pid);
    expect(startedByNpm.length).toBeGreaterThanOrEqual(3);
    // A killed process cannot end the programs that it started.
    void second.end('SIGKILL');
    await gone(startedByNpm);
    const third = project.start(['--port', '0', '--data', 'kept']);
    expect(await third.ended()).toBe(1);
    expect(third.errors).toBe(
      'The data is stored in format 1, and this version reads format 4 alone: run the version that stored it, or start on ' +
        'an empty table (on this machine: delete the data folder, which is .data unless --data names another, ' +
        'or the table in the DynamoDB that DYNAMODB_ENDPOINT names).\n',
    );
  });

  test('leaves no process behind when it is ended while it starts', async () => {
    const start = project.start(['--port', '0', '--memory']);
    while (!descendants(start.pid).some(isSynthesis)) await new Promise((resolve) => setImmediate(resolve));
    const started = descendants(start.pid);
    expect(await start.end('SIGTERM')).toBe(0);
    expect(start.output).toMatch(/^Loading the local machine\nStarting [^\n]+\n$/);
    await gone(started);
    expect(readdirSync(project.folder).filter((name) => name.startsWith('sales-pipeline-'))).toEqual([]);
  });
});

/** The machine's database at the address for containers, which accepts any credentials and checks no role. */
async function checkDoor(endpoint: string): Promise<void> {
  const { endpoint: own, tableName: TableName } = findMachine(join(project.folder, 'kept'));
  expect(endpoint).not.toBe(own);
  const credentials = { accessKeyId: 'defaultkey', secretAccessKey: 'defaultsecret' };
  const client = new DynamoDBClient({ endpoint, region: 'ap-southeast-2', credentials });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([TableName]);
  await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'TOKEN#0' }, sk: { S: 'GRANT' } } }));
  client.destroy();
}

/**
 * Lets three clients create leads without end. Resolves with the ids after so many answers; further answers
 * add to them.
 */
function untilAnswered(enough: number, api: ApiClient): Promise<string[]> {
  const answered: string[] = [];
  return new Promise((resolve) => {
    for (let writer = 0; writer < 3; writer++) {
      void (async () => {
        for (let at = 0; ; at++) {
          const body = { name: 'Ann Lee', email: `ann-${writer}-${at}@example.com` };
          answered.push((await api.call('createLead', { body })).lead.id);
          if (answered.length >= enough) resolve(answered);
        }
      })().catch(() => undefined);
    }
  });
}

/** Rewrites the running machine's records in the form of the first version. */
async function storeAsAnotherVersion(): Promise<void> {
  const { endpoint, tableName: TableName } = findMachine(join(project.folder, 'kept'));
  const client = clientOf({ endpoint });
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  for (const { pk, sk, revision } of Items) {
    if (!pk || !sk || !revision) continue;
    const change = { TableName, Key: { pk, sk }, UpdateExpression: 'REMOVE revision' };
    await client.send(new UpdateItemCommand(change));
  }
  client.destroy();
}
