import { expect, test } from 'vitest';
import { releaseChangelog, unreleased } from '../../../infra/release/changelog.ts';
import { ReleaseError } from '../../../infra/release/options.ts';

const log = (entries: string, rest = '') => `# Changelog\n\nWords.\n\n## [Unreleased]\n${entries}${rest}`;
const entries = '\n### Added\n\n- One.\n\n### Fixed\n\n- Two,\n  of two lines.\n';
const earlier = '\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n';

test('the first release has none before it', () => {
  expect(releaseChangelog(log(entries), '1.0.0', '2026-02-03')).toBe(
    log('', `\n## [1.0.0] - 2026-02-03\n${entries}`),
  );
});

test('the entries are those of the part that is not released', () => {
  expect(unreleased(log(entries, earlier))).toBe(entries.trim());
});

test.each([
  ['no entry', log('', earlier)],
  ['headings alone', log('\n### Added\n\nSoon.\n', earlier)],
  ['an empty entry', log('\n### Added\n\n- \n', earlier)],
])('%s is nothing to release', (_, changelog) => {
  const sentence =
    'CHANGELOG.md has no entry under "Unreleased": say there what callers and operators will notice.';
  expect(() => releaseChangelog(changelog, '1.1.0', '2026-02-03')).toThrow(new ReleaseError(sentence));
});

test('a changelog without the heading is refused', () => {
  expect(() => unreleased('# Changelog\n\n## Unreleased\n\n- One.\n')).toThrow(
    new ReleaseError('CHANGELOG.md has no heading "## [Unreleased]": put it above the last version.'),
  );
});
