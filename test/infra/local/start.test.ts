import {
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMachine } from '../../../infra/local/data-folder.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { createLeadEndpoint, deleteLeadEndpoint, getLeadEndpoint } from '../../../shared/contract/leads.ts';
import { listInquiriesEndpoint } from '../../../shared/contract/inquiries.ts';
import { admin } from '../../support/admin.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/project-copy.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

const isSynthesis = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('infra/app.ts');

describe('npm start', () => {
  test('lists its options', async () => {
    const start = project.start(['--help']);
    expect(await start.ended()).toBe(0);
    for (const option of ['--port', '--data', '--memory', '--no-watch', '--engine-port', 'DYNAMODB_ENDPOINT'])
      expect(start.output).toContain(option);
  });

  test('keeps answered writes over a kill -9, and ends with npm and its database', async () => {
    const first = project.start(['--port', '0', '--engine-port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const [, door = ''] = await first.until(/^The database is open to containers at (http:[^\s,]+), and /m);
    await checkDoor(door);
    const api = new ApiClient(baseUrl, tokens[0]);
    const { lead } = await api.call(createLeadEndpoint, { body: { name: 'Ann Lee' } });
    const answered = await untilAnswered(20, api);
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
    await second.until(/^WORKER receive-texts +ok/m);
    expect(leftIn()).toEqual([]);
    const same = new ApiClient(again.baseUrl, tokens[0]);
    for (const leadId of [lead.id, ...answered]) await same.call(getLeadEndpoint, { params: { leadId } });
    const { inquiries } = await same.call(listInquiriesEndpoint, { query: { limit: 2 } });
    expect(inquiries).toMatchObject([
      { source: 'SMS', summary: 'Before the kill' },
      { source: expect.not.stringMatching('SMS') as string },
    ]);
    await new ApiClient(again.baseUrl, tokens[1]).failure(getLeadEndpoint, 404, {
      params: { leadId: lead.id },
    });
    await same.call(deleteLeadEndpoint, { params: { leadId: lead.id } });
    await same.failure(getLeadEndpoint, 404, { params: { leadId: lead.id } });
    const all = ['organization', 'verify', '--all', '--local', '--data', join(project.folder, 'kept')];
    expect(await admin(all)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is whole') as string,
    });

    const meanwhile = project.start(['--port', '0', '--data', 'kept']);
    expect(await meanwhile.ended()).toBe(1);
    expect(meanwhile.output).toMatch(
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
    expect(third.output).toBe(
      'The data is stored in form 1, and this version reads form 3 alone: run the version that stored it, or start on ' +
        'an empty table (on this machine: delete the data folder, which is .data unless --data names another, ' +
        'or the table in the DynamoDB that DYNAMODB_ENDPOINT names).\n',
    );
  }, 180_000);

  test('answers web pages at no socket: each refuses them, or has an address that no page can find', async () => {
    const start = project.start(['--port', '0', '--engine-port', '0', '--data', 'kept']);
    const { baseUrl } = await start.ready();
    const { endpoint, tableName } = findMachine(join(project.folder, 'kept'));
    const sockets = listening([start.pid, ...descendants(start.pid)]);
    // The servers are the API, the proxy for containers, the role guard, the stand-ins for the SMS provider and
    // for Lambda, and the engine.
    expect(sockets).toHaveLength(6);
    expect(sockets).toContain(new URL(baseUrl.replace('localhost', '127.0.0.1')).host);
    const hidden = sockets.filter((socket) => !socket.startsWith('127.0.0.1:'));
    expect(hidden).toEqual([new URL(endpoint).host]);
    expect(endpoint).toMatch(/^http:\/\/127\.\d+\.\d+\.\d+:\d+$/);
    for (const socket of sockets.filter((one) => !hidden.includes(one)))
      for (const headers of [
        { Origin: 'https://page.example' },
        { Origin: 'null' },
        { Host: `rebound.example:${socket.split(':')[1]!}` },
      ]) {
        const { status, body, allowed } = await asPage(socket, headers);
        expect({ status: status < 400, named: body.includes(tableName), allowed }, socket).toEqual({
          status: false,
          named: false,
          allowed: undefined,
        });
      }
    expect(statSync(join(project.folder, 'kept')).mode & 0o777).toBe(0o700);
    expect(await start.end()).toBe(0);
  });

  test('prints one sentence at its end after Ctrl-C, also with requests under way', async () => {
    const start = project.start(['--port', '0', '--memory']);
    const { baseUrl, tokens } = await start.ready();
    const before = start.output;
    const cut = [await begun(baseUrl, tokens[0]!), await begun(baseUrl, tokens[0]!)].map((sent) =>
      once(sent, 'error'),
    );
    expect(await start.end()).toBe(0);
    await Promise.all(cut);
    expect(start.output.slice(before.length)).toBe(
      'Ended; 2 that took longer than a second got no answer.\n',
    );
  });

  test('leaves no process behind when it is ended while it starts', async () => {
    const start = project.start(['--port', '0', '--memory']);
    while (!descendants(start.pid).some(isSynthesis)) await new Promise((resolve) => setImmediate(resolve));
    const started = descendants(start.pid);
    expect(await start.end('SIGTERM')).toBe(0);
    expect(start.output).toBe('');
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

/** A request whose body the machine waits for. */
async function begun(baseUrl: string, token: string): Promise<ClientRequest> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Expect: '100-continue',
  };
  const sent = request(`${baseUrl}/v1/leads`, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  return sent;
}

/** Addresses that processes listen at, as the system reports them. */
function listening(pids: number[]): string[] {
  const inodes = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
        return inode ?? [];
      }),
    ),
  );
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    if (state !== '0A' || !inodes.has(inode)) return [];
    const [, address = '', port = ''] = /^(\w{8}):(\w{4})$/.exec(local) ?? [];
    return `${[...Buffer.from(address, 'hex')].reverse().join('.')}:${Number.parseInt(port, 16)}`;
  });
}

/** Reads a file of /proc. Empty if its process or socket is closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Asks a socket for the names of tables, as a web page could. */
async function asPage(socket: string, headers: Record<string, string>) {
  const all = {
    'X-Amz-Target': 'DynamoDB_20120810.ListTables',
    Authorization: 'Credential=local/',
    ...headers,
  };
  const sent = request(`http://${socket}/`, { method: 'POST', headers: all }).end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const allowed = response.headers['access-control-allow-origin'];
  return { status: response.statusCode ?? 0, body: await text(response), allowed };
}

/**
 * Lets eight clients create leads without end. Resolves with the ids after so many answers; further answers
 * add to them.
 */
function untilAnswered(enough: number, api: ApiClient): Promise<string[]> {
  const answered: string[] = [];
  return new Promise((resolve) => {
    for (let writer = 0; writer < 8; writer++) {
      void (async () => {
        for (let at = 0; ; at++) {
          const body = { name: 'Ann Lee', email: `ann-${writer}-${at}@example.com` };
          answered.push((await api.call(createLeadEndpoint, { body })).lead.id);
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
