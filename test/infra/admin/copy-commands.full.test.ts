import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ImportClaim } from '../../../infra/admin/copy/import-claim.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { admin } from '../../support/admin.ts';
import { engine, newOrganization, newPlainTable } from '../../support/test-organization.ts';
import { refused } from './command-results.ts';
import { itemsIn } from './copied.ts';
import { Office } from './lead-office.ts';

const client = clientOf(engine);
const tableName = await newPlainTable();
const { code } = await newOrganization({ tableName });
const office = new Office(tableName);
const { folder } = office;
const local = (...args: string[]) => office.admin(['organization', ...args]);
const refusal = (...args: string[]) => refused(args, (typed) => local(...typed));
/** Runs a command that a message contains. */
const runPrinted = (text: string) => {
  const [, words = ''] = /"npm run admin -- ([^"]*)"/.exec(text) ?? [];
  return admin(words.split(' '));
};

test('export an organization, and found another from it with a first token', async () => {
  const path = join(folder, 'by-command');
  expect(await local('export', path, '--organization', code)).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      new RegExp(`^${code} is exported to ${path}: \\d+ records, as of event \\d+\\.\n$`),
    ) as string,
  });
  const founded = await local('import', path, '--json');
  expect(founded.stderr).toMatch(
    /^The organization gets the code (\w{8})\. If this is killed, --code \1 goes on/,
  );
  const { organization, version, tokenId, token } = JSON.parse(founded.stdout) as Record<string, string>;
  expect(tokenId).toBe(2);
  const items = await itemsIn(client, tableName);
  const kinds = [1, 2].map(
    (at) =>
      items.get(`ORG#${organization}#EVENT ${String(Number(version) + at).padStart(12, '0')}`)!['event'],
  );
  expect(kinds).toEqual(['ORGANIZATION_IMPORTED', 'TOKEN_ISSUED']);
  const grant = items.get(`TOKEN#${hashToken(token!)} TOKEN`);
  expect(grant).toMatchObject({ organization, tokenId: 2, scopes: ['read', 'write'] });
  // The import is complete, so there is nothing to resume.
  expect(await refusal('import', path, '--code', organization!)).toBe(
    `${organization} is imported already: "token issue" gives it a token.\n`,
  );
});

test('report a missing folder, organization or import', async () => {
  expect(await refusal('export', join(folder, 'none'), '--organization', '00000001')).toBe(
    'There is no organization 00000001 on the local machine: check the code, and that it is from there.\n',
  );
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

test('an import prints the command that verifies it', async () => {
  const path = join(folder, 'told');
  await local('export', path, '--organization', code);
  const { stdout } = await local('import', path);
  expect((await runPrinted(stdout)).stdout).toContain('is whole');
});

test('remove an unfinished import', async () => {
  const begun = '00000002' as OrganizationCode;
  await new ImportClaim({ client, tableName, system: realSystem }, begun).begin('x');
  const verified = await local('verify', '--organization', begun);
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('is not finished') as string });
  expect(await local('discard-import', '--code', begun)).toEqual({
    code: 0,
    stderr: '',
    stdout: 'The import of the code 00000002 is removed on the local machine: 0 items.\n',
  });
  expect(await refusal('verify', '--organization', begun)).toContain('There is no organization');
  expect(await refusal('discard-import', '--code', code)).toBe(
    `${code} is an organization, and no unfinished import: nothing is removed.\n`,
  );
});
