import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { root } from '../../../infra/root.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import { projectVersion } from '../../../infra/project-version.ts';
import { formatReleased } from '../../../infra/release/released.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';
import { newFolder } from '../../support/new-folder.ts';

const files = ['CHANGELOG.md', 'docs/openapi.json', 'package.json', 'package-lock.json'];

/** Today's description, so that a test releases only its own changes. */
const current = await formatReleased(openApiDocument(await findContracts(), projectVersion()));

/** Program that prints the version of `/openapi`. */
const servedVersion = `
import { findContracts } from './functions.ts';
import { openApiDocument } from './open-api/open-api.ts';
console.log(JSON.parse(JSON.stringify(openApiDocument(await findContracts()))).info.version);
`;

/** A folder of programs: git alone, and the `go` that a test installs. */
let programs: string;
let copy: ProjectCopy;
let last: string;
beforeEach(() => {
  programs = newFolder();
  symlinkSync(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(programs, 'git'));
  copy = new ProjectCopy();
  for (const file of [...files, '.gitignore', '.oxfmtrc.json'])
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
afterEach(() => copy.remove());

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: copy.folder,
    encoding: 'utf8',
  });
function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A change');
}

/** Installs a `go` that runs a script. */
const installGo = (script: string) => {
  writeFileSync(join(programs, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
};
/** Installs a `go` that prints what oasdiff would find. */
const installOasdiff = (...findings: { text: string; level: number; operationId?: string }[]) => {
  installGo(`echo '${JSON.stringify(findings)}'`);
};
const release = (...args: string[]) => copy.run('infra/release/release.ts', args, { PATH: programs });
const refused = (sentence: string) => ({ code: 1, stdout: '', stderr: `${sentence}\n` });
const unchanged = () => `The API since ${last}:\n\n  No change was found.\n\n`;
const step = (at: number) =>
  last
    .split('.')
    .map((part, i) => (i === at ? Number(part) + 1 : i > at ? 0 : part))
    .join('.');

describe('npm run release', () => {
  test('moves the changelog, the kept description and the version on, also of /openapi, and commits nothing', async () => {
    installOasdiff();
    const { code, stdout, stderr } = await release();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const version = step(2);
    expect(stdout).toContain(`${unchanged()}${version} is written to CHANGELOG.md, docs/openapi.json,`);
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
    // The description and the package have one version each, the lock has two.
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual(
      [1, 2, 3, 4].flatMap(() => [`- "version": "${last}",`, `+ "version": "${version}",`]),
    );

    const served = async () => (await copy.run('infra/served.ts')).stdout;
    expect(await served()).toBe(`${version}\n`);
    copy.edit('shared/contract/open-api.ts', 'Read this description', 'Read what this API is');
    expect(await served()).toBe(`${step(1)}-dev\n`);
  });

  test('prints what oasdiff found, and needs --breaking for a major version', async () => {
    installOasdiff(
      { text: 'removed the path', level: 3, operationId: 'createFaq' },
      { text: 'added a header', level: 1 },
    );
    const major = step(0);
    const report = `The API since ${last}:

Breaks clients (1):

  createFaq: removed the path

Breaks no client (1):

  The API: added a header

`;
    expect(await release()).toEqual({
      code: 1,
      stdout: report,
      stderr: `The API breaks clients: undo that, or say --breaking to release ${major}.\n`,
    });
    expect(git('status', '--porcelain')).toBe('');
    const { code, stdout } = await release('--breaking');
    expect(code).toBe(0);
    expect(stdout).toContain(`${report}${major} is written to `);
    expect(copy.read('package.json')).toContain(`"version": "${major}"`);
  });

  test('needs a version and --judged without Go', async () => {
    const sentence = (why: string) =>
      `oasdiff did not compare the API, since ${why}: look at the changes of the API yourself, then give the version and --judged.`;
    expect(await release()).toEqual(refused(sentence('there is no Go (go) on the PATH')));
    installGo('echo "go: no such host" >&2; exit 1');
    expect(await release(step(1))).toEqual(refused(sentence('Go could not run it: go: no such host')));
    expect((await release(step(1), '--judged')).stdout).toMatch(new RegExp(`^${step(1)} is written to `));
  });

  test('is refused in one sentence where something is missing or half done', async () => {
    installOasdiff();
    copy.edit('package.json', `"version": "${last}"`, '"version": "9.0.0"');
    expect(await release()).toEqual(
      refused('The working tree has changes: commit them first, then release.'),
    );
    commit();
    expect(await release()).toEqual(
      refused(
        `package.json says 9.0.0, and the last release is ${last}: set it back, since a release moves it on.`,
      ),
    );
    git('tag', `v${step(2)}`);
    copy.edit('package.json', '"version": "9.0.0"', `"version": "${last}"`);
    copy.write('docs/openapi.json', '{}');
    commit();
    expect(await release()).toEqual(
      refused('docs/openapi.json, the description of the last release, cannot be read: restore it from git.'),
    );
    copy.write('docs/openapi.json', current);
    commit();
    expect(await release()).toEqual({
      ...refused(
        `The tag v${step(2)} is there already: release another version, or delete it by "git tag --delete v${step(2)}" if it was never published.`,
      ),
      stdout: unchanged(),
    });
    expect(git('status', '--porcelain')).toBe('');
  });

  test('needs git, and a repository', async () => {
    rmSync(join(copy.folder, '.git'), { recursive: true });
    // The copy lies in the folder of the system for what is temporary, which lies in no repository.
    expect(await release()).toEqual(refused('This is no git repository: a release is made in one.'));
    rmSync(join(programs, 'git'));
    expect(await release()).toEqual(
      refused('There is no git on the PATH: install it, since a release is made with it.'),
    );
  });
});
