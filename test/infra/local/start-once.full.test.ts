import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { findMachine } from '../../../infra/local/data-folder.ts';
import { inquirySources, type Inquiry } from '../../../shared/contract/inquiries.ts';
import { memberRoles } from '../../../shared/contract/roles.ts';
import { pricingTypes } from '../../../shared/contract/products.ts';
import { pricingModes } from '../../../shared/contract/services.ts';
import { transferMethods } from '../../../shared/contract/transfers.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';

// The tests of one start share the start, because it takes seconds.
const project = new ProjectCopy();
const start = project.start([
  '--port',
  '0',
  '--engine-port',
  '0',
  '--data',
  'kept',
  '--no-watch',
  ...unthrottledOptions,
]);
afterAll(() => project.remove());

describe('npm start', () => {
  test("prints its address, two organizations with tokens, and the README's first request; then a line per request", async () => {
    const { baseUrl, tokens } = await start.ready();
    expect(start.output).toMatch(/Harbour Plumbing +sk_test_/);
    expect(start.output).toMatch(/Summit Electrical +sk_test_/);
    expect(start.output.replaceAll(' \\\n   ', '')).toContain(
      `curl -s '${baseUrl}/v1/leads?limit=1' -H 'Authorization: Bearer ${tokens[0]!}'`,
    );
    const widths = start.output.split('\n').map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(100);

    const [ours, theirs] = tokens.map((token) => new ApiClient(baseUrl, token));
    const { leads, totalCount } = await ours!.call('listLeads', { query: { limit: 1 } });
    expect(leads[0]).toMatchObject({ firstName: 'Aisha', lastName: 'Rahman' });
    expect(totalCount).toBe(9);
    await theirs!.failure('getLead', 404, { params: { leadId: leads[0]!.id } });

    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, path = '', token = ''] =
      /curl -s 'http:\/\/localhost:3000(\S+)' -H 'Authorization: Bearer (\w+)'/.exec(readme) ?? [];
    const [, answer = ''] = /```json\n([\s\S]+?)```/.exec(readme) ?? [];
    expect((await new ApiClient(baseUrl, token).send('GET', path)).body).toEqual(JSON.parse(answer));

    await start.until(
      /^GET {4}\/v1\/leads +200 +\d+ ms +2 calls +2 read +0 write {3}\+ authorizer: 2 calls, 1 read$/m,
    );
    expect(start.output).toMatch(/^Every 5 minutes, resolve-sending: /m);
    await start.until(/^GET {4}\/v1\/leads\/lead_\w+ +404 +\d+ ms +0 calls +0 read +0 write/m);
  });

  test('has the data of a small trades business: each kind of record, in the order of its times', async () => {
    const { baseUrl, tokens } = await start.ready();
    const api = new ApiClient(baseUrl, tokens[0]);
    const { inquiries } = await api.call('listInquiries');
    expect(setOf(inquiries.map(({ source }) => source))).toEqual(setOf(inquirySources));
    for (const { id: inquiryId } of inquiries) {
      const moments = momentsOf(await api.call('getInquiry', { params: { inquiryId } }));
      expect(moments).toEqual(moments.toSorted());
    }
    const { members } = await api.call('listMembers');
    expect(setOf(members.map(({ role }) => role))).toEqual(setOf(memberRoles));
    const { services } = await api.call('listServices');
    expect(setOf(services.map(({ pricingMode }) => pricingMode))).toEqual(setOf(pricingModes));
    const { products } = await api.call('listProducts');
    expect(setOf(products.map(({ pricingType }) => pricingType))).toEqual(setOf(pricingTypes));
    const { transfers } = await api.call('listTransfers');
    expect(setOf(transfers.map(({ method }) => method))).toEqual(setOf(transferMethods));
    const { policies } = await api.call('listPolicies');
    expect(setOf(policies.map(({ isActive }) => isActive))).toEqual(setOf([true, false]));
  });

  test('accepts an SMS and a form by the commands that it prints, and reports deliveries of SMS sent', async () => {
    const { baseUrl, tokens } = await start.ready();
    const api = new ApiClient(baseUrl, tokens[0]);
    expect(await printed('/local/texts')).toEqual({
      status: 202,
      json: { inboundMessageId: expect.any(String) as string },
    });
    await ranTimes(1);
    const { inquiries } = await api.call('listInquiries', { query: { limit: 1, expand: 'lead' } });
    expect(inquiries).toMatchObject([{ source: 'SMS', isRead: false, lead: { phone: '+61491570156' } }]);
    const [{ id: inquiryId, lead, sourceId }] = inquiries as [(typeof inquiries)[number]];

    const { members } = await api.call('listMembers');
    const sms = { userId: members[0]!.user.id, message: 'Hello, too' };
    await api.call('sendSms', { body: { ...sms, leadId: lead!.id, messageThreadId: sourceId } });
    const { lead: far } = await api.call('createLead', {
      body: { name: 'Far', phone: '+61491572549' },
    });
    const { inquiryId: toFar } = await api.call('sendSms', { body: { ...sms, leadId: far.id } });
    await ranTimes(3);
    const statuses = async (inquiryId: string) => {
      const { source, data } = await api.call('getInquiry', { params: { inquiryId } });
      return source === 'SMS' ? data.messages.map(({ direction, status }) => [direction, status]) : source;
    };
    expect(await statuses(inquiryId)).toEqual([
      ['INBOUND', 'RECEIVED'],
      ['OUTBOUND', 'DELIVERED'],
    ]);
    expect(await statuses(toFar)).toEqual([['OUTBOUND', 'UNDELIVERED']]);

    expect((await printed('/v1/forms/submissions')).status).toBe(201);
    const { leads } = await api.call('listLeads', { query: { limit: 1 } });
    expect(leads).toMatchObject([{ firstName: 'Zoe' }]);
  });

  test('answers web pages at no socket: each refuses them, or has an address that no page can find', async () => {
    const { baseUrl } = await start.ready();
    const { endpoint, tableName } = findMachine(join(project.folder, 'kept'));
    const sockets = listening([start.pid, ...descendants(start.pid)]);
    // The servers are the API, the proxy for containers, the role guard, the stand-ins for the SMS provider, Lambda, SQS
    // and KMS, and the engine.
    expect(sockets).toHaveLength(8);
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
    // The lines about these requests come later than their answers.
    await start.until(/(?:^POST +\/ +4\d\d [^]*?){3}/m);
  });

  test('says in one sentence that its port is in use', async () => {
    const { port } = new URL((await start.ready()).baseUrl);
    const other = project.start(['--port', port, '--memory']);
    expect(await other.ended()).toBe(1);
    expect(other.errors).toBe(
      `Port ${port} is in use: stop what is running there, or choose another with --port.\n`,
    );
  });

  test('lists its options', async () => {
    const help = project.start(['--help']);
    expect(await help.ended()).toBe(0);
    for (const option of ['--port', '--data', '--memory', '--no-watch', '--engine-port', 'DYNAMODB_ENDPOINT'])
      expect(help.output).toContain(option);
  });

  test('ends at Ctrl-C with one sentence, also with requests under way, and with every process that it started', async () => {
    const { baseUrl, tokens } = await start.ready();
    const started = descendants(start.pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    const before = start.output;
    const cut = [await begun(baseUrl, tokens[0]!), await begun(baseUrl, tokens[0]!)].map((sent) =>
      once(sent, 'error'),
    );
    expect(await start.end('SIGINT')).toBe(0);
    await Promise.all(cut);
    expect(start.output.slice(before.length)).toBe(
      'Ended; 2 that took longer than a second got no answer.\n',
    );
    await gone(started);
  });
});

/** Runs the printed curl command of a path. */
async function printed(path: string): Promise<{ status: number; json: unknown }> {
  const commands = start.output.replaceAll(' \\\n   ', '').split('\n');
  const command = commands.find((line) => line.includes('curl') && line.includes(path))!;
  const [url = ''] = /http:[^\s']+/.exec(command) ?? [];
  const body = [...command.matchAll(/ -d (\S+)/g)].map(([, field]) => field).join('&');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, json: await response.json() };
}

/** A request with a body that the machine waits for. */
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

/** Waits until the worker of incoming SMS has completed so many runs. */
const ranTimes = (count: number) =>
  start.until(new RegExp(`(?:^WORKER receive-texts +ok[^]*?){${count}}`, 'm'));

/** Times in the data of an inquiry, in their order. */
function momentsOf({ source, data }: Inquiry): string[] {
  switch (source) {
    case 'CALL':
      return [data.startedAt, ...data.transcripts.map(({ created_at }) => created_at), data.endedAt];
    case 'CHATBOT':
    case 'SMS':
      return data.messages.map(({ createdAt }) => createdAt);
    case 'EMAIL':
      return [data.receivedAt];
    case 'WEBFORM':
      return [data.submittedAt];
  }
}

const setOf = <Value>(values: readonly Value[]) => new Set(values);
