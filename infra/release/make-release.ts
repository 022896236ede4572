import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findContracts, root } from '../functions.ts';
import { openApiDocument, releasedFile } from '../open-api/open-api.ts';
import { projectVersion } from '../project-version.ts';
import { findApiChanges } from './api-changes.ts';
import { releaseChangelog, unreleased } from './changelog.ts';
import { ReleaseError } from './release-error.ts';
import { formatReleased } from './released.ts';
import { reportChanges } from './report.ts';
import { chooseVersion, type VersionWish } from './versions.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * Makes a release in the working tree: the changelog, the kept description and the version. Returns what to
 * print. Commits nothing, so that the person can look first.
 *
 * @throws ReleaseError before anything is written
 */
export async function makeRelease(wish: VersionWish, now: Date): Promise<string> {
  await checkWorkingTree();
  const { since, changes } = await findApiChanges();
  if (projectVersion() !== since)
    throw new ReleaseError(
      `package.json says ${projectVersion()}, and the last release is ${since}: set it back, since a release moves it on.`,
    );
  const changelog = read('CHANGELOG.md');
  const version = chooseVersion(since, wish, changes, unreleased(changelog));
  if ((await git('tag', '--list', `v${version}`)) !== '')
    throw new ReleaseError(
      `The tag v${version} is there already: release another version, or delete it by "git tag --delete v${version}" if it was never published.`,
    );
  const files = {
    'CHANGELOG.md': releaseChangelog(changelog, version, now.toISOString().slice(0, 10)),
    [releasedFile]: await formatReleased(openApiDocument(await findContracts(), version)),
    'package.json': withVersion(read('package.json'), version, 1),
    // That of the project, and that of its root package.
    'package-lock.json': withVersion(read('package-lock.json'), version, 2),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  return `${reportChanges(changes, since)}
${version} is written to ${Object.keys(files).join(', ')}. Look at it with git diff; git restore . undoes it. Then:

  git commit --all --message "Release ${version}"
  git tag --annotate v${version} --message "Release ${version}"
`;
}

/** What is half done must not become part of a release, and a release must be easy to undo. */
async function checkWorkingTree(): Promise<void> {
  if ((await git('status', '--porcelain')) !== '')
    throw new ReleaseError('The working tree has changes: commit them first, then release.');
}

/** What git prints. @throws ReleaseError if it is not installed, or refuses */
async function git(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new ReleaseError(
      isMissing
        ? 'There is no git on the PATH: install it, since a release is made with it.'
        : 'This is no git repository: a release is made in one.',
    );
  }
}

/** Replaces the first versions in a file of npm's. */
function withVersion(text: string, version: string, times: number): string {
  let left = times;
  return text.replaceAll(/"version": "[^"]*"/g, (found) => (left-- > 0 ? `"version": "${version}"` : found));
}
