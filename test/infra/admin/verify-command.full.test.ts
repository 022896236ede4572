import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findingsIn } from '../../../infra/admin/verify/finding.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { takeFolder, type DataFolder } from '../../../infra/local/data-folder.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { grantKey } from '../../../shared/ledger/internal/keys.ts';
import { admin } from '../../support/admin.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { engine, newOrganization, newPlainTable } from '../../support/world.ts';
import { newFilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { fillJobs, tagged, withJobs } from './jobs.ts';
import { firstBucket, storedItems } from './stored-items.ts';

const client = clientOf(engine);
let tableName: string;
let organization: StoredOrganization;
afterAll(() => {
  client.destroy();
});

const access = () => ({ client, tableName, system: realSystem });
const { at, edit, head, holeItemName, holeItemKey, put, remove } = storedItems(client, () => ({
  tableName,
  code: organization.code,
}));
const foundInJobs = async () => foundIn(await verifyOrganization(access(), organization.code, withJobs));

describe('a table', () => {
  beforeEach(async () => {
    tableName = await newPlainTable();
    organization = await newOrganization('AU', tableName);
    await newOrganization('NZ', tableName);
  });

  const strays = async () => foundIn({ findings: findingsIn(await verifyTable(access())) });

  test('is whole', async () => {
    expect(await strays()).toEqual([]);
    expect((await verifyTable(access())).organizations).toHaveLength(2);
  });

  test('items of no organization are found', async () => {
    await put({ pk: 'ann@example.com', sk: 'X' });
    await put({ pk: `ORG#${organization.code}#OLD`, sk: '000000000001' });
    await put({ pk: 'ORG#00000000#LEAD', sk: '000000000001' });
    await put({ pk: 'ORG#0#LEAD', sk: '000000000001' });
    const grant = { organization: organization.code, tokenId: 1, userId: 'u', scopes: [], expiresAt: null };
    await put({ ...grantKey('0123456789abcdef'), ...grant });
    await put({ ...grantKey('fedcba9876543210'), ...grant, organization: '00000000' });
    await put({ ...grantKey('aaaaaaaaaaaaaaaa') });
    expect((await strays()).sort()).toEqual([
      ['grant-without-record', 'TOKEN#01234567…'],
      ['grant-without-record', 'TOKEN#aaaaaaaa…'],
      ['grant-without-record', 'TOKEN#fedcba98…'],
      ['head-missing', 'ORG#00000000 HEAD'],
      ['unknown-item', '(not shown) X'],
      ['unknown-item', 'ORG#0#LEAD 000000000001'],
      ['unknown-item', `ORG#${organization.code}#OLD 000000000001`],
    ]);
  });

  test('hole items are found that no list state announces', async () => {
    await fillJobs(organization.openLedger().ledger);
    const whole = await verifyTable(access(), withJobs);
    expect([...whole.strays, ...whole.organizations.flatMap(({ findings }) => findings)]).toEqual([]);
    await put({ ...holeItemKey('JOB#1#SOLD', firstBucket), 0: 1 });
    await put({ ...holeItemKey('TEAM#000000000002#JOB#2', firstBucket), 0: 1 });
    await put({ ...holeItemKey('TEAM#000000000009#JOB#2', firstBucket), 0: 1 });
    await put({ ...holeItemKey('JOB#4#X', firstBucket), 0: 1 });
    await put({ ...holeItemKey('OLD', firstBucket), 0: 1 });
    await put({ ...holeItemKey('JOB#3#c', 'STATE'), state: '1' });
    expect(await foundInJobs()).toEqual([]);
    const { organizations, strays } = await verifyTable(access(), withJobs);
    expect(strays).toEqual([]);
    const report = organizations.find(({ organization: code }) => code === organization.code)!;
    expect(report.findings.map(({ kind, where }) => [kind, where]).sort()).toEqual(
      [
        ['list-wrong', 'the list JOB#1#SOLD'],
        ['list-wrong', 'the list JOB#2 of team 2'],
        ['unknown-item', holeItemName('TEAM#000000000009#JOB#2')],
        ['unknown-item', holeItemName('JOB#4#X')],
        ['unknown-item', holeItemName('OLD')],
        ['list-wrong', tagged],
      ].sort(),
    );
  });
});

describe('the command', () => {
  let data: string;
  let folder: DataFolder;
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), 'verify-'));
    folder = takeFolder(data);
  });
  afterAll(() => {
    folder.release();
    rmSync(data, { recursive: true });
  });
  beforeEach(async () => {
    tableName = await newPlainTable();
    ({ organization } = await newFilledOrganization(tableName));
  });
  /** Announces a local machine on the table of this test, as `npm start` does. */
  const announce = () => {
    folder.announce({ ...engine, tableName });
  };
  const local = (...args: string[]) => admin(['organization', 'verify', '--local', '--data', data, ...args]);

  test('tells a whole organization, a damaged one and a missing one', async () => {
    announce();
    const { code } = organization;
    const counts =
      '1 appointment, 1 attendance, 1 call, 3 categories, 1 chat, 1 company, 1 email, 2 FAQs, 5 inquiries, 1 invitation, 2 leads, 2 members, ' +
      '2 messages, 2 notes, 1 opt-out, 1 policy, 1 product, 1 scenario, 1 service, 1 message thread, 5 tokens, ' +
      '1 transfer, 1 web form, 1 webhook';
    expect(await local('--organization', code)).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(`^Test \\(${code}\\) is whole: ${counts}, (\\d+) events at version \\1\\.\n$`),
      ) as string,
    });
    await remove(at('POLICY', 1));
    expect(await local('--organization', `org_${code}`)).toEqual({
      code: 1,
      stderr: '',
      stdout: `${code}: policy 1 is missing, and its number is no hole.\n1 finding\n`,
    });
    await remove(at('INVITATION', 1));
    const listed = await local('--organization', code, '--json');
    expect(listed).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      findings: 2,
      organizations: [{ organization: code, findings: [{ kind: 'record-missing' }, {}] }],
      strays: [],
    });
    expect(await local('--organization', '00000001')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'There is no organization 00000001 on the local machine: check the code, and that it is from there.\n',
    });
  });

  test('verifies all organizations', async () => {
    tableName = await newPlainTable();
    announce();
    const none = 'There is no organization on the local machine.\n';
    expect(await local('--all')).toEqual({ code: 0, stderr: '', stdout: none });
    organization = await newOrganization('AU', tableName);
    expect(await local('--all')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ is whole: /) as string,
    });
    await put({ pk: 'X', sk: 'Y' });
    const { code, stdout } = await local('--all');
    expect(code).toBe(1);
    expect(stdout).toMatch(/ is whole: .*\nX Y is no item that the ledger would write\.\n1 finding\n$/);
    expect(JSON.parse((await local('--all', '--json')).stdout)).toMatchObject({ findings: 1, strays: [{}] });
  });

  test('reports data of another form in one sentence', async () => {
    announce();
    await edit(head(), (item) => ({ ...item, form: 1 }));
    const sentence = /^\S+: ORG#\S+ HEAD: The data is stored in form 1, .*\n1 finding\n$/;
    expect(await local('--organization', organization.code)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(sentence) as string,
    });
    const issue = ['token', 'issue', '--local', '--data', data, '--organization', organization.code];
    expect(await admin([...issue, '--name', 'Website'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The data is stored in form 1, [^\n]*\.\n$/) as string,
    });
  });

  test.each([
    [[], 'Say which organization: --organization CODE, or --all for every one.'],
    [['--all', '--organization', '6H8EV880'], '--organization and --all cannot be combined.'],
  ])('%j is refused in a sentence', async (args, sentence) => {
    for (const more of [[], ['--json']]) {
      expect(await local(...args, ...more)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
    }
  });
});
