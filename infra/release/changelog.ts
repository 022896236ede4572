import { ReleaseError } from './options.ts';

const heading = '## [Unreleased]';

/** Finds the part under "Unreleased", without its heading. */
function unreleasedPart(changelog: string): { start: number; end: number } {
  const at = changelog.indexOf(`${heading}\n`);
  if (at === -1)
    throw new ReleaseError(`CHANGELOG.md has no heading "${heading}": put it above the last version.`);
  const start = at + heading.length + 1;
  const end = changelog.indexOf('\n## ', start);
  return { start, end: end === -1 ? changelog.length : end + 1 };
}

/** Returns the unreleased entries. @throws ReleaseError if there are none */
export function unreleased(changelog: string): string {
  const { start, end } = unreleasedPart(changelog);
  const part = changelog.slice(start, end);
  if (!/^- \S/m.test(part))
    throw new ReleaseError(
      'CHANGELOG.md has no entry under "Unreleased": say there what callers and operators will notice.',
    );
  return part.trim();
}

/** Moves the unreleased entries under a version. @throws ReleaseError if there are none */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const { start, end } = unreleasedPart(changelog);
  const entries = `\n## [${version}] - ${date}\n\n${unreleased(changelog)}\n`;
  const rest = changelog.slice(end);
  return changelog.slice(0, start) + entries + (rest === '' ? '' : `\n${rest}`);
}
