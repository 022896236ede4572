import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, inject, test, vi } from 'vitest';
import { verifyOrganization } from '../support/verify-organization.ts';
import { clientOf, localCredentials } from '../../infra/local/engine.ts';
import { region } from '../../infra/local/arns.ts';
import { listenOnLoopback } from '../../infra/local/loopback.ts';
import { realSystem } from '../../shared/core/system.ts';
import { aroundCalls } from '../support/store/around-calls.ts';
import { faults } from '../support/store/faults.ts';
import { fill } from '../support/filled-records.ts';
import { ReadKeys } from '../support/verify-and-remove.ts';
import { engine, newOrganization, newPlainTable, verifyEach } from '../support/test-organization.ts';
import { stackOf, startAwsStandIn, stubAws } from '../infra/admin/aws-stand-in.ts';
import { withoutSms } from './no-sms.ts';
import { testDeployed } from './test-deployed.ts';

const tableName = inject('tableName');

/** Runs `npm run test:deployed` to its end, with the tests' engine in place of AWS. */
async function run(args: string[], changes: NodeJS.ProcessEnv = {}) {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...localCredentials,
    AWS_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    // Keeps settings of this computer out.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...changes,
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'deployed.ts'), ...args], { env });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout: stripVTControlCharacters(stdout), stderr };
}

/**
 * Runs the command in this process, which keeps its client of the table. The command ends before the functional
 * tests.
 */
async function runHere(args: readonly string[], changes: NodeJS.ProcessEnv = {}) {
  const printed = { stdout: '', stderr: '' };
  stubAws({});
  for (const [name, value] of Object.entries(changes)) vi.stubEnv(name, value);
  const code = await testDeployed(args, {
    print: (text) => (printed.stdout += text),
    printError: (text) => (printed.stderr += text),
  });
  vi.unstubAllEnvs();
  return { code, ...printed };
}

/** Keys of a table's items that belong to organizations with this name or code, and of their grants. */
async function everyKey(table: string): Promise<string[]> {
  const client = clientOf(engine);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
  client.destroy();
  return Items.map(({ pk, sk }) => `${pk!.S!} ${sk!.S!}`).sort();
}

test('the functional tests run against an API and its table, and leave nothing behind', async () => {
  const args = ['--url', `${inject('baseUrl')}/`, '--table', tableName, 'lead-batch', 'scopes'];
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [, name] =
    /^It founds organizations named "(Test of [^"]+)" in that table, and removes them in the end\./m.exec(
      stdout,
    )!;
  expect(stdout).toMatch(/Test Files +2 passed/);
  // Tests that look at costs are skipped.
  expect(stdout).toMatch(/Tests +\d+ passed \| [1-9]\d* skipped/);
  const client = clientOf(engine);
  const named = { FilterExpression: '#name = :name', ExpressionAttributeNames: { '#name': 'name' } };
  const { Count } = await client.send(
    new ScanCommand({ TableName: tableName, ...named, ExpressionAttributeValues: { ':name': { S: name! } } }),
  );
  client.destroy();
  expect(Count).toBe(0);
});

test('all that is stored of an organization is removed, and nothing of another', async () => {
  const table = await newPlainTable();
  const other = await newOrganization({ tableName: table });
  await fill(other);
  const before = await everyKey(table);
  const ours = await newOrganization({ tableName: table });
  await fill(ours);
  expect((await everyKey(table)).length).toBeGreaterThan(before.length);

  const client = clientOf(engine);
  const seen = new ReadKeys(client, ours.code);
  const access = { client, tableName: table, system: realSystem };
  expect((await verifyOrganization(access, ours.code)).findings).toEqual([]);
  // The same client reads this organization, and must not remove it.
  expect((await verifyOrganization(access, other.code)).findings).toEqual([]);
  expect(await seen.remove(table)).toBeGreaterThan(20);
  client.destroy();
  expect(await everyKey(table)).toEqual(before);
});

test('an organization that cannot be verified stays whole, and the others are removed', async () => {
  const table = await newPlainTable();
  const [broken, other] = [
    await newOrganization({ tableName: table }),
    await newOrganization({ tableName: table }),
  ];
  const client = clientOf(engine);
  aroundCalls(client, (_, send, input) => {
    if (JSON.stringify(input).includes(broken.code)) throw faults.denied;
    return send();
  });
  const access = { client, tableName: table, system: realSystem };
  const { findings, errors } = await verifyEach(access, [broken.code, other.code], true);
  client.destroy();
  expect({ findings, errors }).toEqual({
    findings: [],
    errors: [expect.stringContaining('AccessDeniedException')],
  });
  const left = await everyKey(table);
  expect(left.filter((key) => key.includes(broken.code))).not.toEqual([]);
  expect(left.filter((key) => key.includes(other.code))).toEqual([]);
});

test('no SMS is sent', async () => {
  const sent: string[] = [];
  const guarded = withoutSms((input) => {
    sent.push(input instanceof Request ? input.url : input.toString());
    return Promise.resolve(Response.json({}));
  });
  const api = 'https://a.example/dev';
  const paths = [
    '/v1/sms',
    '/v1/sms/',
    '/v1//sms',
    '//v1/sms//',
    '/v1/s%6ds',
    '/v1%2Fsms',
    '/v1/./sms',
    '/v1/sms?a=b',
  ];
  for (const path of paths) {
    for (const request of [`${api}${path}`, new URL(`${api}${path}`), new Request(`${api}${path}`)])
      for (const method of ['POST', 'post'])
        await expect(guarded(request, { method }), path).rejects.toThrow('This would send an SMS');
    const request = new Request(`${api}${path}`, { method: 'POST', body: '{}' });
    await expect(guarded(request), path).rejects.toThrow('This would send an SMS');
  }
  expect(sent).toEqual([]);
  const others = [`${api}/v1/leads`, `${api}/v1/sms/1`, `${api}/v1/leads/%E0%zz`];
  for (const url of others) await guarded(url, { method: 'POST' });
  await guarded(`${api}/v1/sms`);
  expect(sent).toEqual([...others, `${api}/v1/sms`]);
});

test.each([
  ['an option that is wrong', ['--stage', 'Test'], {}, /^--stage must be 1 to 16 [^\n]+, not "Test"\.\n$/],
  [
    'no stack to be found',
    ['--stage', 'dev'],
    { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:9' },
    /^The stack SalesPipeline-dev-data cannot be looked up in us-east-1 \([^\n]+\n$/,
  ],
  [
    'no such table',
    ['--url', inject('baseUrl'), '--table', 'Nowhere'],
    {},
    /^The table Nowhere cannot be read \([^\n]+\): check its name, AWS_PROFILE, AWS_REGION and what you may do there\.\n$/,
  ],
  [
    'no API',
    ['--url', 'http://127.0.0.1:9', '--table', tableName],
    {},
    /^Nothing answers at http:\/\/127\.0\.0\.1:9\/openapi \([^\n]+\): check the address\.\n$/,
  ],
  [
    'another API',
    ['--url', `${inject('baseUrl')}/v1`, '--table', tableName],
    {},
    /^http:\/\/localhost:\d+\/v1\/openapi answers 404, not 200: check the address\.\n$/,
  ],
] as const)('%s is reported in one sentence', async (_, args, changes, sentence) => {
  const { code, stderr } = await runHere(args, changes);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) as string });
});

test.each([
  [
    ['--stage', 'staging'],
    'prod',
    /^The tests write to the table of prod, or of a stage like prod, [^\n]+\n$/,
  ],
  [['--stage', 'staging', '--allow-prod'], 'dev', /^--allow-prod belongs to [^\n]+\n$/],
])('%j is refused for a stage that is like %s', async (args, Like, sentence) => {
  const aws = await startAwsStandIn(() => stackOf('UPDATE_COMPLETE', { TableName: tableName, Like }));
  const { code, stderr } = await runHere(args, { AWS_ENDPOINT_URL_CLOUDFORMATION: aws });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) as string });
});

test('an API of another table is reported in one sentence, and nothing stays in the table', async () => {
  const table = await newPlainTable();
  const { code, stderr } = await runHere(['--url', inject('baseUrl'), '--table', table]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The API at ${inject('baseUrl')} works on another table than ${table}: check both.\n`,
  });
  expect(await everyKey(table)).toEqual([]);
});

test('an API that goes away is reported in one sentence, and nothing stays in the table', async () => {
  const table = await newPlainTable();
  const server = createServer((request, response) => {
    if (request.url === '/openapi') response.end('{}');
    else request.destroy();
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const { code, stderr } = await runHere(['--url', url, '--table', table]);
  server.close();
  const sentence = `Nothing answers at ${url}/v1/leads (`;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(sentence) as string });
  expect(await everyKey(table)).toEqual([]);
});

test.each([
  ['region', { AWS_REGION: undefined }, /^There is no AWS region: set AWS_REGION [^\n]+\n$/],
  ['credentials', { AWS_ACCESS_KEY_ID: undefined }, /^There are no AWS credentials that work: [^\n]+\n$/],
] as const)('a table with no %s is told before anything is announced', async (_, changes, sentence) => {
  const answer = await run(['--url', inject('baseUrl'), '--table', tableName], changes);
  const stderr = expect.stringMatching(sentence) as string;
  expect(answer).toEqual({ code: 1, stdout: '', stderr });
});
