import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findContracts, root } from '../../../infra/functions.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import { projectVersion } from '../../../infra/project-version.ts';
import { formatReleased } from '../../../infra/release/released.ts';
import { ProjectCopy } from '../../support/project-copy.ts';

const files = ['CHANGELOG.md', 'docs/openapi.json', 'package.json', 'package-lock.json'];

/** The description as it is now: these tests release nothing but what they change themselves. */
const current = await formatReleased(openApiDocument(await findContracts(), projectVersion()));

/** Prints the version that `/openapi` would have. */
const servedVersion = `
import { findContracts } from './functions.ts';
import { openApiDocument } from './open-api/open-api.ts';
console.log(JSON.parse(JSON.stringify(openApiDocument(await findContracts()))).info.version);
`;

let copy: ProjectCopy;
let last: string;
beforeEach(() => {
  copy = new ProjectCopy();
  for (const file of [...files, '.gitignore', '.prettierrc.json'])
    cpSync(join(root, file), join(copy.folder, file), { recursive: true });
  copy.write('docs/openapi.json', current);
  copy.write(
    'CHANGELOG.md',
    copy
      .read('CHANGELOG.md')
      .replace(/## \[Unreleased\]\n[^]*?\n## /, '## [Unreleased]\n\n### Fixed\n\n- It.\n\n## '),
  );
  copy.write('infra/served.ts', servedVersion);
  last = (JSON.parse(copy.read('package.json')) as { version: string }).version;
  git('init', '--quiet');
  commit();
});
afterEach(() => {
  vi.unstubAllEnvs();
  return copy.remove();
});

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: copy.folder,
    encoding: 'utf8',
  });
function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A change');
}
const checkApi = () => copy.run('infra/release/check-api.ts');
const release = (...args: string[]) => copy.run('infra/release/release.ts', args);
const refused = (sentence: string) => ({ code: 1, stdout: '', stderr: `${sentence}\n` });
const step = (at: number) =>
  last
    .split('.')
    .map((part, i) => (i === at ? Number(part) + 1 : i > at ? 0 : part))
    .join('.');

/** Emails may be half as long as before. */
const breakClients = () => {
  copy.edit('shared/contract/leads.ts', 'line(254)', 'line(127)');
};

describe('npm run check:api', () => {
  test('passes where nothing changed', async () => {
    expect(await checkApi()).toEqual({ code: 0, stdout: `The API is as it was in ${last}.\n`, stderr: '' });
  });

  test('fails where a client breaks, and says why', async () => {
    breakClients();
    const { code, stdout, stderr } = await checkApi();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/\d changes? that breaks? clients:\n\n/);
    expect(stdout).toContain(
      '\n  createLead, createLeads: in requests, NewLead.email has maxLength 127, and had 254. ',
    );
    expect(stdout).toMatch(
      /\n\nUndo what breaks clients, or release it as it is: CONTRIBUTING.md, "Release".\n$/,
    );
  });

  test('says what is wrong with the project in a sentence', async () => {
    copy.write('docs/openapi.json', '{}');
    expect(await checkApi()).toEqual(
      refused('docs/openapi.json, the description of the last release, cannot be read: restore it from git.'),
    );
  });
});

describe('npm run release', () => {
  test('moves the changelog, the kept description and the version on, and commits nothing', async () => {
    const { code, stdout, stderr } = await release();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const version = step(2);
    expect(stdout).toContain(`\n${version} is written to CHANGELOG.md, docs/openapi.json,`);
    expect(stdout).toContain(
      `  git commit --all --message "Release ${version}"\n  git tag --annotate v${version} `,
    );
    const changed = git('status', '--porcelain').split('\n').filter(Boolean);
    expect(changed.map((line) => line.slice(3))).toEqual(files.toSorted());
    const today = new Date().toISOString().slice(0, 10);
    expect(copy.read('CHANGELOG.md')).toContain(
      `## [Unreleased]\n\n## [${version}] - ${today}\n\n### Fixed\n\n- It.\n\n## [${last}] - `,
    );
    const lines = git('diff', '--unified=0', '--', 'docs', 'package.json', 'package-lock.json').match(
      /^[-+] .*/gm,
    )!;
    // Of the description one, of the package one, and of the lock that of the project and of its root package.
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual(
      [1, 2, 3, 4].flatMap(() => [`- "version": "${last}",`, `+ "version": "${version}",`]),
    );
    expect((await checkApi()).stdout).toBe(`The API is as it was in ${version}.\n`);
  });

  test('gives /openapi its version, which it has until anything of it is said otherwise', async () => {
    const served = async () => (await copy.run('infra/served.ts')).stdout;
    expect(await served()).toBe(`${last}\n`);
    copy.edit('shared/contract/open-api.ts', 'Read this description', 'Read what this API is');
    expect(await served()).toBe(`${step(1)}-dev\n`);
    commit();
    expect((await release()).stdout).toContain(`\n${step(2)} is written to `);
    expect(await served()).toBe(`${step(2)}\n`);
  });

  test('releases what breaks clients as a major version, to who says so', async () => {
    breakClients();
    commit();
    const major = step(0);
    expect(await release()).toEqual(
      refused(
        `The API breaks clients, as "npm run check:api" tells: undo that, or say --breaking to release ${major}.`,
      ),
    );
    expect(git('status', '--porcelain')).toBe('');
    const { code, stdout } = await release('--breaking');
    expect(code).toBe(0);
    expect(stdout).toContain('createLead, createLeads: in requests, NewLead');
    expect((await checkApi()).stdout).toBe(`The API is as it was in ${major}.\n`);
  });

  test('is refused in one sentence where something is missing or half done', async () => {
    copy.edit('CHANGELOG.md', '- It.\n', '');
    expect(await release()).toEqual(
      refused('The working tree has changes: commit them first, then release.'),
    );
    commit();
    expect(await release()).toEqual(
      refused(
        'CHANGELOG.md has no entry under "Unreleased": say there what callers and operators will notice.',
      ),
    );
    copy.edit('package.json', `"version": "${last}"`, '"version": "9.0.0"');
    commit();
    expect(await release()).toEqual(
      refused(
        `package.json says 9.0.0, and the last release is ${last}: set it back, since a release moves it on.`,
      ),
    );
    git('tag', `v${step(2)}`);
    copy.edit('package.json', '"version": "9.0.0"', `"version": "${last}"`);
    copy.edit('CHANGELOG.md', '### Fixed\n', '### Fixed\n\n- It.\n');
    commit();
    expect(await release()).toEqual(
      refused(
        `The tag v${step(2)} is there already: release another version, or delete it by "git tag --delete v${step(2)}" if it was never published.`,
      ),
    );
    expect(git('status', '--porcelain')).toBe('');
    expect(await release('next')).toEqual(refused('"next" is no version: say it as 1.2.3.'));
    expect((await release('--help')).stdout).toMatch(/^Makes a release /);
  });

  test('needs git, and a repository', async () => {
    rmSync(join(copy.folder, '.git'), { recursive: true });
    // The copy lies in the folder of the system for what is temporary, which lies in no repository.
    expect(await release()).toEqual(refused('This is no git repository: a release is made in one.'));
    vi.stubEnv('PATH', copy.folder);
    expect(await release()).toEqual(
      refused('There is no git on the PATH: install it, since a release is made with it.'),
    );
  });
});
