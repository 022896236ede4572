import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findMachine, takeFolder } from '../../../infra/local/data-folder.ts';
import { sentences } from '../../../shared/contract/errors.ts';
import { admin } from '../../support/admin.ts';
import { ApiClient } from '../../support/api-client.ts';
import { descendants, gone, ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';
import { done, json, refused } from './command-results.ts';

const project = new ProjectCopy();
const start = project.start(['--port', '0', ...unthrottledOptions]);
const { baseUrl } = await start.ready();
afterAll(() => project.remove());

/** Runs a command in a separate process, as an operator does. */
const child = (args: string[]) => project.admin(args);
/** Runs a command in this process, which is several times faster. */
const here = (args: string[]) => admin([...args, '--data', join(project.folder, '.data')]);

const creation = [
  ...['organization', 'create', '--local', '--name', 'Corner Roofing', '--country', 'AU'],
  ...['--owner-first-name', 'Mia', '--owner-last-name', 'Tran', '--owner-email', 'mia@example.com'],
];

const foundedCode = async () => String((await json(creation, here))['organization']);

test('on the machine that npm start runs: a token for the forms of websites', async () => {
  const of = ['--local', '--organization', await foundedCode()];
  const sites = ['https://a.example', 'http://localhost:8080'];
  const forForms = ['token', 'issue', ...of, '--name', 'Contact form', '--scopes', 'forms:submit'];
  const typedSites = ['--sites', 'https://A.example/contact,http://localhost:8080,https://a.example'];
  expect(await done([...forForms, ...typedSites], here)).toMatch(
    /\n {2}Scopes +forms:submit\n {2}Sites +https:\/\/a\.example, http:\/\/localhost:8080\n[^]+\nThe token is shown this once\. A key of forms is no secret: /,
  );
  const key = await json(['token', 'rotate', ...of, '--id', '2', '--overlap', '0'], here);
  expect(key).toMatchObject({ id: 3, scopes: ['forms:submit'], sites, replaced: { id: 2, sites } });
  await new ApiClient(baseUrl, key.token).failure('listLeads', 403);
  const withSites = (await done(['token', 'list', ...of], here)).split('\n');
  expect(withSites[2]).toMatch(/^ID +NAME +SCOPES +SITES +USER +/);
  expect(withSites[3]).toMatch(/^1 +First +read,write,members:write,tokens:write +- +user_/);
  expect(withSites[5]).toMatch(new RegExp(`^3 +Contact form +forms:submit +${sites.join(',')} +user_`));
});

test('on the machine that npm start runs: a key for calls that ring, with its secret', async () => {
  const of = ['--local', '--organization', await foundedCode()];
  const file = join(project.folder, 'platform-secret');
  const forRinging = [
    ...['token', 'issue', ...of, '--name', 'Ringing'],
    ...['--scopes', 'receptionist:answer', '--secret-file', file],
  ];
  const must = `${file} must have only one secret, of 16 to 500 characters without spaces.`;
  for (const text of ['x'.repeat(15), 'x'.repeat(501), `${'x'.repeat(20)} x`]) {
    writeFileSync(file, text);
    expect(await refused(forRinging, here)).toContain(must);
  }
  writeFileSync(file, `${'x'.repeat(16)}\n`);
  expect(await done(forRinging, here)).toMatch(/\n {2}Signed +by the secret that was given\n/);
});

test('on the machine that npm start runs: a phone number that its provider has', async () => {
  const code = await foundedCode();
  const of = ['--local', '--organization', code];
  const number = ['--number', '+61 491 571 266'];
  expect(await done(['number', 'add', ...of, ...number], here)).toBe(
    `+61491571266 is a number of Corner Roofing (${code}) now: texts to it are stored there, and texts go out from it.\n`,
  );
  const arn = 'arn:aws:sms-voice:us-east-1:000000000000:phone-number/phone-61491571266';
  expect(await json(['number', 'list', ...of], here)).toMatchObject({
    numbers: [{ number: '+61491571266', arn }],
  });
  expect(await refused(['number', 'add', ...of, '--number', '+61491999999'], here)).toBe(
    'There is no number +61491999999 on the local machine: take a number that is reserved for fiction, such as ' +
      '+61491570156.\n',
  );
});

test('on the machine that npm start runs: the role of a member, which bounds the tokens that act for the member', async () => {
  const of = ['--local', '--organization', '6H8EV880'];
  const title = 'Harbour Plumbing (6H8EV880)';
  const user = 'user_6H8EV88000000002';
  const issue = ['token', 'issue', ...of, '--name', 'Office', '--user', user, '--scopes'];
  const setRole = (role: string, id = '2') => ['member', 'set-role', ...of, '--member', id, '--role', role];
  // Tokens that were not used: the authorizer's results are cached for a minute.
  const [first, second] = [
    await json([...issue, 'webhooks:read,webhooks:write'], here),
    await json([...issue, 'write'], here),
  ];
  const follows = 'Tokens that follow within 60 seconds: 2.';
  expect(await done(setRole('user'), here)).toBe(
    `Member 2 of ${title}, ${user}, had the role ADMIN and has the role USER now. ${follows}\n`,
  );
  const body = { url: 'https://a.example/hook', types: ['lead.created'] };
  await new ApiClient(baseUrl, first.token).failure('createWebhook', 403, { body });
  expect(await done([...issue, 'read,write'], here)).toMatch(
    /\n {2}Scopes +read, write\n {2}Allowed +read, leads:write, [^\n]*faqs:write, [^\n]*, by the role of its user\n/,
  );
  expect(await refused([...issue, 'webhooks:write'], here)).toBe(
    'scopes cannot have webhooks:write, which no token of a member with the role USER has.\n',
  );
  expect(await done(setRole('USER'), here)).toBe(
    `Member 2 of ${title}, ${user}, has the role USER already: nothing was changed.\n`,
  );
  expect(await json(setRole('ADMIN'), here)).toMatchObject({
    member: 2,
    userId: user,
    before: 'USER',
    tokens: 3,
  });
  await new ApiClient(baseUrl, second.token, ['write']).call('createWebhook', { body });
  expect(await refused(setRole('USER', '1'), here)).toBe(`${sentences.onlyOwner}.\n`);
  expect(await refused(setRole('USER', '99'), here)).toBe(
    `There is no member 99 in ${title}: the list of members in the API has their ids.\n`,
  );
});

test('on the machine that npm start runs: an organization, and the life of its tokens', async () => {
  const founded = await done(creation, child);
  const [, code = '', owner = '', token = ''] =
    /^Corner Roofing is founded on the local machine\.\n\n {2}Organization {2}(\w{8})\n {2}Owner +(user_\w+)\n {2}Token +(sk_test_\w{36})\n/.exec(
      founded,
    ) ?? [];
  expect(owner).toBe(`user_${code}00000001`);
  expect(founded).toContain('The token is shown this once');
  const api = new ApiClient(baseUrl, token);
  await api.call('createLead', { body: { name: 'Ann Lee' } });

  const of = ['--local', '--organization', code];
  const issue = ['token', 'issue', ...of, '--name', 'Website', '--scopes', 'read', '--expires', '90d'];
  const reader = await json(issue, here);
  expect(reader).toMatchObject({
    organization: code,
    id: 2,
    name: 'Website',
    scopes: ['read'],
    userId: owner,
  });
  const lifetime = Date.parse(String(reader['expiresAt'])) - Date.parse(String(reader['createdAt']));
  expect(lifetime).toBe(90 * 86_400_000);
  const readOnly = new ApiClient(baseUrl, reader.token);
  expect((await readOnly.call('listLeads')).totalCount).toBe(1);
  await readOnly.failure('createLead', 403, { body: { name: 'Bo' } });

  const rotated = await done(['token', 'rotate', ...of, '--id', '1', '--overlap', '30m'], here);
  const [, end = ''] = /is replaced by token 3\. The old token works until (\S+Z)\./.exec(rotated) ?? [];
  const [successor = ''] = /sk_test_\w{36}/.exec(rotated) ?? [];
  expect(successor).not.toBe(token);
  await new ApiClient(baseUrl, successor).call('createLead', { body: { name: 'Cy' } });
  await api.call('listLeads');
  expect(await refused(['token', 'rotate', ...of, '--id', '1'], here)).toBe(
    'The token was rotated before; rotate token 3, which takes its place.\n',
  );

  // An unused token: the authorizer's result is cached for a minute.
  const unused = await json(['token', 'rotate', ...of, '--id', '2', '--overlap', '0'], here);
  expect(unused).toMatchObject({ id: 4, scopes: ['read'], replaced: { id: 2, state: 'revoked' } });
  const revoke = ['token', 'revoke', ...of, '--id', '4'];
  expect(await done(revoke, here)).toBe(
    `Token 4, "Website", of Corner Roofing (${code}) is revoked. Requests with it are refused within 60 seconds: API Gateway ` +
      'caches a token for that time.\n',
  );
  await new ApiClient(baseUrl, unused.token).failure('listLeads', 401);
  expect(await done(revoke, here)).toMatch(
    /^Token 4, "Website", of Corner Roofing \(\w+\) is revoked already, since \S+Z: nothing was changed\.\n$/,
  );
  expect(await refused(['token', 'rotate', ...of, '--id', '4'], here)).toMatch(
    /^The token was revoked at \S+Z; issue a new token\.\n$/,
  );

  const list = await done(['token', 'list', ...of], child);
  expect(list.split('\n').slice(2, 7)).toEqual([
    expect.stringMatching(/^ID +NAME +SCOPES +USER +CREATED +EXPIRES +STATE$/),
    expect.stringMatching(
      `^1 +First +read,write,members:write,tokens:write +${owner} +\\S+Z +${end} +active \\(replaced by 3\\)$`,
    ),
    expect.stringMatching(/^2 +Website +read +\S+ +\S+Z +\S+Z +revoked \S+Z \(replaced by 4\)$/),
    expect.stringMatching(/^3 +First +read,write,members:write,tokens:write +\S+ +\S+Z +never +active$/),
    expect.stringMatching(/^4 +Website +read +\S+ +\S+Z +\S+Z +revoked \S+Z$/),
  ]);
  const listed = await json(['token', 'list', '--local', '--organization', `org_${code}`], here);
  expect(listed).toMatchObject({ organization: code, tokens: [1, 2, 3, 4].map((id) => ({ id })) });
  for (const text of [list, JSON.stringify(listed)]) {
    expect(text).not.toMatch(/sk_|[0-9a-f]{64}|hash/);
    for (const secret of [token, reader.token, successor, unused.token])
      expect(text).not.toContain(secret.slice(-30));
  }

  const folder = join(project.folder, '.data');
  const database = findMachine(folder);
  const started = descendants(start.pid);
  await start.end('SIGKILL');
  expect(await refused(['token', 'list', ...of], here)).toBe(
    `No "npm start" runs with the data folder ${folder}: run it first (without --memory), or name its folder with --data.\n`,
  );
  // The engine ends shortly after the process that started it.
  await gone(started);
  const { announce, release } = takeFolder(folder);
  announce(database);
  expect(await refused(['token', 'list', ...of], here)).toMatch(
    /^No database answers at http:\S+, where the last "npm start" on \S+ had it: run "npm start" again\.\n$/,
  );
  release();
});
