import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { grantKey } from '../../../shared/ledger/internal/keys.ts';
import { engine, newOrganization, newPlainTable } from '../../support/test-organization.ts';
import { refused } from './command-results.ts';
import { newFilledOrganization, type FilledOrganization } from './filled-organization.ts';
import { Office } from './lead-office.ts';
import { storedItems } from './stored-items.ts';

const client = clientOf(engine);
let tableName: string;
let filled: FilledOrganization;
const office = new Office();
/** Makes a table, and announces a local machine on it, as `npm start` does. */
async function emptyTable(): Promise<void> {
  tableName = await newPlainTable();
  office.useTable(tableName);
}
beforeEach(async () => {
  await emptyTable();
  filled = await newFilledOrganization(tableName);
});

const code = () => filled.organization.code;
const { at, edit, get, head, idAt, put, remove, unique } = storedItems(client, () => ({
  tableName,
  code: code(),
}));
const verify = (...args: string[]) => office.admin(['organization', 'verify', ...args]);
const refusal = (...args: string[]) => refused(args, (typed) => verify(...typed));
const repair = (...args: string[]) => verify('--organization', code(), '--repair', ...args);

test('tells a whole organization, a damaged one and a missing one', async () => {
  const code = filled.organization.code;
  const counts =
    '1 appointment, 1 attendance, 1 call, 3 categories, 1 chat, 1 company, 1 email, 2 FAQs, 5 inquiries, 1 invitation, 2 leads, 2 members, ' +
    '2 messages, 2 notes, 1 opt-out, 1 policy, 1 product, 1 scenario, 1 service, 1 message thread, 7 tokens, ' +
    '1 transfer, 1 web form, 1 webhook';
  expect(await verify('--organization', code)).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      new RegExp(`^Test \\(${code}\\) is whole: ${counts}, (\\d+) events at version \\1\\.\n$`),
    ) as string,
  });
  await remove(at('POLICY', 1));
  expect(await verify('--organization', `org_${code}`)).toEqual({
    code: 1,
    stderr: '',
    stdout: `${code}: policy 1 is missing, and its number is no hole.\n1 finding\n`,
  });
  await remove(at('INVITATION', 1));
  const listed = await verify('--organization', code, '--json');
  expect(listed).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(listed.stdout)).toMatchObject({
    findings: 3,
    organizations: [{ organization: code, findings: [{ kind: 'record-missing' }, {}, {}] }],
    strays: [],
  });
  expect(await refusal('--organization', '00000001')).toBe(
    'There is no organization 00000001 on the local machine: check the code, and that it is from there.\n',
  );
});

test('verifies all organizations', async () => {
  await emptyTable();
  const none = 'There is no organization on the local machine.\n';
  for (const more of [[], ['--repair']])
    expect(await verify('--all', ...more)).toEqual({ code: 0, stderr: '', stdout: none });
  await newOrganization({ tableName: tableName });
  expect(await verify('--all')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ is whole: /) as string,
  });
  await put({ pk: 'X', sk: 'Y' });
  const { code, stdout } = await verify('--all');
  expect(code).toBe(1);
  expect(stdout).toMatch(/ is whole: .*\nX Y is no item that the ledger would write\.\n1 finding\n$/);
  expect(JSON.parse((await verify('--all', '--json')).stdout)).toMatchObject({ findings: 1, strays: [{}] });
});

test('reports data of another form in one sentence', async () => {
  await edit(head(), (item) => ({ ...item, form: 1 }));
  const sentence = /^\S+: ORG#\S+ HEAD: The data is stored in format 1, .*\n1 finding\n$/;
  expect(await verify('--organization', code())).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(sentence) as string,
  });
  const issue = ['token', 'issue', '--organization', code(), '--name', 'Website'];
  expect(await refused(issue, (typed) => office.admin(typed))).toMatch(
    /^The data is stored in format 1, [^\n]*\.\n$/,
  );
});

test.each([
  [[], 'Say which organization: --organization CODE, or --all for every one.'],
  [['--all', '--organization', '6H8EV880'], '--organization and --all cannot be combined.'],
  [['--organization', '6H8EV880', '--yes'], '--yes goes with --repair alone.'],
])('%j is refused in a sentence', async (args, sentence) => {
  for (const more of [[], ['--json']]) expect(await refusal(...args, ...more)).toBe(`${sentence}\n`);
});

describe('organization verify --repair', () => {
  test('shows the repairs and writes nothing; with --yes repairs, and tells what is left', async () => {
    const lost = unique('LEAD.email', 'ann@example.com');
    await remove(lost);
    await remove(at('POLICY', 1));
    const { version } = await get(head());
    const found = [
      `${code()}: policy 1 is missing, and its number is no hole.`,
      `${code()}: ${idAt('lead', 1)} has a value of LEAD.email that is held for no record.`,
    ];
    const byHand = expect.stringMatching(/^ {2}By hand: restore .*, then repair\.$/) as string;
    const plan = await repair();
    expect({ ...plan, stdout: plan.stdout.split('\n') }).toEqual({
      code: 1,
      stderr: '',
      stdout: [
        found[0],
        byHand,
        found[1],
        `  Repair: holds it for ${idAt('lead', 1)}.`,
        '1 finding can be repaired. Nothing was written yet: add --yes to repair.',
        '1 finding must be repaired by hand.',
        '',
      ],
    });
    expect(await get(lost)).toBeUndefined();
    expect((await get(head()))['version']).toBe(version);
    expect((await verify('--organization', code())).stdout).toMatch(
      /\n2 findings; --repair --yes can repair 1\n$/,
    );

    const done = await repair('--yes');
    expect({ ...done, stdout: done.stdout.split('\n') }).toEqual({
      code: 1,
      stderr: '',
      stdout: [
        found[1],
        `  Repaired: holds it for ${idAt('lead', 1)}.`,
        found[0],
        byHand,
        `Changes were perhaps lost, of: ${idAt('lead', 1)}.`,
        '1 finding repaired.',
        '1 finding left.',
        '',
      ],
    });
    expect(await get(lost)).toEqual({ ...lost, id: idAt('lead', 1) });
    // The repair is a write like any other: it has a version and an event.
    const id = (version as number) + 1;
    expect((await get(head()))['version']).toBe(id);
    expect(await get(at('EVENT', id))).toMatchObject({
      id,
      revision: id,
      event: 'ORGANIZATION_REPAIRED',
      data: `An operator repaired counts or lists that follow from the records. Changes were perhaps lost, of: ${idAt('lead', 1)}`,
      referenceId: `org_${code()}`,
      userId: idAt('user', 1),
    });
  });

  test('exits with 0 if nothing is left, and writes nothing to a whole organization', async () => {
    await edit(grantKey(filled.hashes[0]!), (grant) => ({ ...grant, scopes: [] }));
    expect(await repair('--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^\S+: token 1 is active, but its grant .*\n {2}Repaired: .*\n.* is whole: .*\nChanges were perhaps lost, of: token 1\.\n1 finding repaired\.\n$/,
      ) as string,
    });
    const { version } = await get(head());
    for (const args of [[], ['--yes']]) {
      expect(await repair(...args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^[^\n]* is whole: [^\n]*\n$/) as string,
      });
    }
    expect((await get(head()))['version']).toBe(version);
  });

  test('gives a script the same as JSON', async () => {
    await remove(unique('LEAD.email', 'ann@example.com'));
    await remove(at('POLICY', 1));
    const sentence = expect.any(String) as string;
    const lost = { kind: 'record-missing', where: 'policy 1', sentence, byHand: sentence };
    const mendable = { kind: 'unique-not-held', where: idAt('lead', 1), sentence, repair: sentence };
    const whole = { findings: 2, organizations: [{ findings: [lost, mendable] }], strays: [] };
    for (const args of [
      ['--organization', code()],
      ['--organization', code(), '--repair'],
    ])
      expect(JSON.parse((await verify(...args, '--json')).stdout)).toMatchObject(whole);
    const { code: exit, stdout } = await repair('--yes', '--json');
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: 1,
      organizations: [{ findings: [lost] }],
      strays: [],
      repaired: [{ organization: code(), ...mendable }],
    });
  });

  test('repairs all organizations, and removes grants of no token', async () => {
    const other = await newOrganization({ country: 'NZ', tableName });
    const grant = { tokenId: 1, userId: 'u', scopes: [], sites: [], expiresAt: null };
    const ofNobody = grantKey('0123456789abcdef');
    await put({ ...ofNobody, ...grant, organization: other.code });
    await put({ ...grantKey('fedcba9876543210'), ...grant, organization: '00000000' });
    // The grant now names another organization. The organization of its token repairs it.
    await edit(grantKey(filled.hashes[0]!), (one) => ({ ...one, organization: other.code }));
    // Found in the same words in both organizations.
    for (const { pk, sk } of [at('TOKEN', 1), { ...at('TOKEN', 1), pk: `ORG#${other.code}#TOKEN` }])
      await edit({ pk, sk }, ({ revision, ...token }) => token);
    await put({ ...unique('TRANSFER.label', 'x'), id: 'one' });
    const { code: exit, stdout } = await verify('--all', '--repair', '--yes');
    expect(exit).toBe(1);
    expect(stdout).toMatch(
      /\nThe grant TOKEN#fedcba98… .*\n {2}By hand: put back the record .*, or delete the item .*\nChanges were perhaps lost, of: .*\n\d findings repaired\.\n1 finding left\.\n$/,
    );
    expect(stdout.match(/: token 1 cannot be read: revision\.\n {2}Repaired/g)).toHaveLength(2);
    expect(await get(ofNobody)).toBeUndefined();
    expect(await get(grantKey(filled.hashes[0]!))).toMatchObject({ organization: code(), tokenId: 1 });
    expect((await verify('--all')).stdout).toMatch(/\n1 finding\n$/);
  });

  // damages.full.test.ts proves that a repair changes neither.
  test('says what a person must do about an event that is lost beyond the head, and a change that a record lost', async () => {
    const unheld = () => remove(unique('LEAD.email', 'ann@example.com'));
    const lead = idAt('lead', 1);
    await edit(at('LEAD', 1), (one) => ({ ...one, revision: 2, unreadCalls: 7 }));
    await unheld();
    const { stdout } = await repair('--yes');
    expect(stdout).toContain('Repaired: holds it for');
    expect(stdout).toContain(
      `(unreadCalls).\n  By hand: put back the change that ${lead} lost, then repair: a repair now would hide the loss.\n`,
    );
    const [, event] = /event (\d+) says that it stored \S+, but the record has revision 2\.\n/.exec(stdout)!;
    // The operator finds the record right.
    await edit(at('LEAD', 1), (one) => ({ ...one, revision: Number(event) }));
    expect(await repair('--yes')).toMatchObject({ code: 0 });

    const last = (await get(head()))['version'] as number;
    await unheld();
    await remove(at('EVENT', last - 1));
    await edit(head(), (one) => ({ ...one, version: last - 2 }));
    expect((await repair('--yes')).stdout).toContain(
      'held for no record.\n  By hand: repair the head and its events by hand, then repair the rest.',
    );
  });

  test('goes on to other organizations after a malformed head', async () => {
    const other = await newOrganization({ country: 'NZ', tableName });
    const stray = grantKey('0123456789abcdef');
    await put({ ...stray, organization: other.code, tokenId: 1, userId: 'u', scopes: [], expiresAt: null });
    await edit({ pk: `ORG#${other.code}`, sk: 'HEAD' }, (one) => ({ ...one, country: 7 }));
    const lost = unique('LEAD.email', 'ann@example.com');
    await remove(lost);
    const { code: exit, stdout } = await verify('--all', '--repair', '--yes');
    expect(exit).toBe(1);
    expect(stdout).toContain('1 finding repaired.');
    expect(await get(lost)).toBeDefined();
    expect(await get(stray)).toBeDefined();
  });
});
