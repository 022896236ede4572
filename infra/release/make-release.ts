import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findContracts } from '../functions.ts';
import { root } from '../root.ts';
import { openApiDocument, releasedFile } from '../open-api/open-api.ts';
import { projectVersion } from '../project-version.ts';
import { releaseChangelog, unreleased } from './changelog.ts';
import { compareApi, reportChanges } from './compare-api.ts';
import { ReleaseError, type VersionOptions } from './options.ts';
import { formatReleased, readReleased } from './released.ts';
import { chooseVersion } from './versions.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * Makes a release in the working tree: writes the changelog, the kept description and the version. Commits nothing, so
 * that a person can look first.
 *
 * @throws ReleaseError before anything is written
 */
export async function makeRelease(
  options: VersionOptions,
  now: Date,
  print: (text: string) => void,
): Promise<void> {
  await checkWorkingTree();
  const last = readReleased().info.version;
  if (projectVersion() !== last)
    throw new ReleaseError(
      `package.json says ${projectVersion()}, and the last release is ${last}: set it back, since a release moves it on.`,
    );
  const changelog = read('CHANGELOG.md');
  const entries = unreleased(changelog);
  const comparison = await compareApi();
  if (!('why' in comparison))
    print(`The API since ${last}:\n\n${reportChanges(comparison) || '  No change was found.\n\n'}`);
  const version = chooseVersion(last, options, comparison, entries);
  if ((await git('tag', '--list', `v${version}`)) !== '')
    throw new ReleaseError(
      `The tag v${version} is there already: release another version, or delete it by "git tag --delete v${version}" if it was never published.`,
    );
  const files = {
    'CHANGELOG.md': releaseChangelog(changelog, version, now.toISOString().slice(0, 10)),
    [releasedFile]: await formatReleased(openApiDocument(await findContracts(), version)),
    'package.json': withVersion(read('package.json'), version, 1),
    // npm's lock has the project's version twice: on its own, and as the version of its root package.
    'package-lock.json': withVersion(read('package-lock.json'), version, 2),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  print(`${version} is written to ${Object.keys(files).join(', ')}. Look at it with git diff; git restore . undoes it. Then:

  git commit --all --message "Release ${version}"
  git tag --annotate v${version} --message "Release ${version}"
`);
}

/** @throws ReleaseError if a change is not committed: it would become part of the release, and undoing would lose it */
async function checkWorkingTree(): Promise<void> {
  if ((await git('status', '--porcelain')) !== '')
    throw new ReleaseError('The working tree has changes: commit them first, then release.');
}

/** Runs git, and returns its standard output. @throws ReleaseError if git is not installed, or fails */
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
