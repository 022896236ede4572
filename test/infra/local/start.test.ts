import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../../infra/endpoints.ts';
import { createLead, getLead, listLeads } from '../../../shared/endpoints/leads.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/project-copy.ts';
import { engine } from '../../support/world.ts';

let project: ProjectCopy;
beforeEach(() => {
  project = new ProjectCopy();
});
afterEach(() => project.remove());

describe('npm start', () => {
  test('prints where it is, two organizations with tokens, and a request to paste; then a line per request', async () => {
    const start = project.start(['--port', '0', '--memory']);
    const { baseUrl, tokens } = await start.ready();
    expect(start.output).toMatch(/Harbour Plumbing +sk_test_/);
    expect(start.output).toMatch(/Summit Electrical +sk_test_/);
    expect(start.output).toContain(
      `curl -s '${baseUrl}/v1/leads?limit=1' -H 'Authorization: Bearer ${tokens[0]!}'`,
    );

    const [ours, theirs] = tokens.map((token) => new ApiClient(baseUrl, token));
    const { leads, totalCount } = await ours!.call(listLeads, { query: { limit: 1 } });
    expect(leads[0]).toMatchObject({ firstName: 'Sofia', lastName: 'Rossi' });
    expect(totalCount).toBe(5);
    await theirs!.failure(getLead, 404, { params: { leadId: leads[0]!.id } });

    await start.until(
      /^GET {4}\/v1\/leads +200 +\d+ ms +2 calls +2 read +0 write {3}\+ authorizer: 1 calls, 1 read$/m,
    );
    await start.until(/^GET {4}\/v1\/leads\/lead_\w+ +404 +\d+ ms +0 calls +0 read +0 write/m);
  });

  test("answers the README's first request as printed there", async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, path = '', token = ''] =
      /curl -s 'http:\/\/localhost:3000(\S+)' -H 'Authorization: Bearer (\w+)'/.exec(readme) ?? [];
    const [, answer = ''] = /```json\n([\s\S]+?)```/.exec(readme) ?? [];
    const { baseUrl } = await project.start(['--port', '0', '--memory']).ready();
    const { body } = await new ApiClient(baseUrl, token).send('GET', path);
    expect(body).toEqual(JSON.parse(answer));
  });

  test('lists its options', async () => {
    const start = project.start(['--help']);
    expect(await start.ended()).toBe(0);
    for (const option of ['--port', '--data', '--memory', '--no-watch'])
      expect(start.output).toContain(option);
  });

  test('keeps the data in a folder, over a kill -9 and a restart; its engine ends with it', async () => {
    const first = project.start(['--port', '0', '--data', 'kept']);
    const { baseUrl, tokens } = await first.ready();
    const { lead } = await new ApiClient(baseUrl, tokens[0]).call(createLead, { body: { name: 'Ann Lee' } });
    const started = descendants(first.pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    await first.end('SIGKILL');
    await gone(started);

    const second = project.start(['--port', '0', '--data', 'kept']);
    const again = await second.ready();
    expect(again.tokens).toEqual(tokens);
    const api = new ApiClient(again.baseUrl, tokens[0]);
    expect((await api.call(getLead, { params: { leadId: lead.id } })).lead).toEqual(lead);
    expect((await api.call(listLeads)).totalCount).toBe(6);

    const third = project.start(['--port', '0', '--data', 'kept']);
    expect(await third.ended()).toBe(1);
    expect(third.output).toBe(
      `The data in kept is in use by process ${second.pid}: stop it, or choose another --data ` +
        '(if that process is something else, delete kept/lock).\n',
    );
  });

  test('ends at Ctrl-C, with every process that it started', async () => {
    const start = project.start(['--port', '0', '--memory']);
    await start.ready();
    const started = descendants(start.pid);
    expect(await start.end('SIGINT')).toBe(0);
    await gone(started);
  });

  test('ends with npm, even where npm was killed and could not tell', async () => {
    const npm = project.start(['--port', '0', '--memory'], {}, { npm: true });
    await npm.ready();
    const started = descendants(npm.pid);
    expect(started.length).toBeGreaterThanOrEqual(3);
    void npm.end('SIGKILL');
    await gone(started);
  });

  test('runs on another DynamoDB where DYNAMODB_ENDPOINT says so', async () => {
    const start = project.start(['--port', '0', '--memory'], { DYNAMODB_ENDPOINT: engine.endpoint });
    const { baseUrl, tokens } = await start.ready();
    expect(descendants(start.pid)).toEqual([]);
    await new ApiClient(baseUrl, tokens[0]).call(listLeads);
  });
});

describe('a mistake is told in one sentence', () => {
  test.each([
    [['--prot', '1'], /^Unknown option '--prot': "npm start -- --help" lists the options\.\n$/],
    [['--port', 'http'], /^--port must be a whole number from 0 to 65535, not "http"\.\n$/],
    [['--port', '-1'], /^Option '--port' argument is ambiguous: [^\n]+\n$/],
    [['--port', '70000'], /^--port must be a whole number from 0 to 65535, not "70000"\.\n$/],
    [['--port'], /^Option '--port <value>' argument missing: "npm start -- --help" lists the options\.\n$/],
    [['--data', ''], /^--data must name a folder\.\n$/],
    [['--data', 'x', '--memory'], /^--memory and --data cannot be combined\.\n$/],
    [['--data', 'package.json', '--port', '0'], /^The data folder package\.json cannot be used: [^\n]+\n$/],
    [['serve'], /^Unexpected argument 'serve'[^\n]*: "npm start -- --help" lists the options\.\n$/],
  ])('%j', async (args, sentence) => {
    const start = project.start(args);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(sentence);
  });

  test('a port in use', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = project.start(['--port', String(port), '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe(
      `Port ${port} is in use: stop what is running there, or choose another with --port.\n`,
    );
    other.close();
  });

  test('a function that does not build', async () => {
    project.edit('functions/leads/get-lead.ts', 'serve(getLead', 'serve((getLead');
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(/^functions\/leads\/get-lead\.ts:\d+:\d+ does not build: [^\n]+\n$/);
  });

  test('a contract that does not build', async () => {
    project.edit('shared/endpoints/leads.ts', 'export const listLeads = ', 'export const listLeads = = ');
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(/^shared\/endpoints\/leads\.ts:\d+ does not build: [^\n]+\n$/);
  });

  test('an endpoint without a function', async () => {
    project.write('shared/endpoints/extra.ts', "export const orphan = { kind: 'endpoint' };");
    const start = project.start(['--port', '0', '--memory']);
    expect(await start.ended()).toBe(1);
    expect(start.output).toBe('The endpoint orphan has no function: add functions/extra/orphan.ts\n');
  });
});

test('where there is no engine, one sentence says what to do', async () => {
  const without = new ProjectCopy({ without: '@dynoxide' });
  const start = without.start(['--port', '0', '--memory']);
  expect(await start.ended()).toBe(1);
  expect(start.output).toMatch(
    /^There is no database engine for this platform[^\n]+ set DYNAMODB_ENDPOINT [^\n]+\n$/,
  );
  await without.remove();
});

test.each(['http://127.0.0.1:9', 'nowhere'])(
  'where DYNAMODB_ENDPOINT is %s, one sentence says so',
  async (endpoint) => {
    const start = project.start(['--port', '0', '--memory'], { DYNAMODB_ENDPOINT: endpoint });
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(/^DYNAMODB_ENDPOINT is [^\n]+, where no DynamoDB answers: [^\n]+\n$/);
  },
);

test('a function may ask of DynamoDB what its role allows, and no more', async () => {
  project.edit('shared/endpoints/leads.ts', "access: 'write'", "access: 'get'");
  const start = project.start(['--port', '0', '--memory']);
  const { baseUrl, tokens } = await start.ready();
  await new ApiClient(baseUrl, tokens[0]).failure(createLead, 500, { body: { name: 'Ann' } });
  await start.until(/The role of CreateLead\w+ does not allow dynamodb:PutItem on arn:aws:local:\S+Table\w+/);
});

describe('a changed source file', () => {
  test('takes effect on the next request: a function, a contract, a mistake, and its repair', async () => {
    const start = project.start(['--port', '0', '--memory']);
    const { baseUrl, tokens } = await start.ready();
    const send = async (path: string) => {
      const response = await fetch(`${baseUrl}${path}`, {
        headers: { Authorization: `Bearer ${tokens[0]!}` },
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect((await send('/v1/leads')).body['totalCount']).toBe(5);

    project.edit(
      'functions/leads/list-leads.ts',
      'ok(pageOf(',
      "ok(Object.assign({ edited: 'function' }, pageOf(",
    );
    project.edit('functions/leads/list-leads.ts', 'query), query))', 'query), query)))');
    expect((await send('/v1/leads')).body).toMatchObject({ edited: 'function', totalCount: 5 });

    project.edit(
      'shared/endpoints/leads.ts',
      "path: '/v1/leads',\n  scope: 'read'",
      "path: '/v1/prospects',\n  scope: 'read'",
    );
    expect((await send('/v1/prospects')).body).toMatchObject({ edited: 'function' });
    expect((await send('/v1/leads')).status).toBe(404);
    expect(JSON.stringify((await send('/openapi')).body)).toContain('/v1/prospects');

    const whole = project.read('shared/leads/leads.ts');
    project.write('shared/leads/leads.ts', `${whole}\nconst = 1;`);
    const broken = await send('/v1/prospects');
    expect(broken).toMatchObject({ status: 500, body: { success: false, error: { status: 500 } } });
    await start.until(/shared\/leads\/leads\.ts:\d+:7 does not build: /);

    project.write('shared/leads/leads.ts', whole);
    expect(await send('/v1/prospects')).toMatchObject({ status: 200 });
  });
});
