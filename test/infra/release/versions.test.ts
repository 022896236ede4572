import { describe, expect, test } from 'vitest';
import type { Change, Verdict } from '../../../infra/open-api/changes/change.ts';
import { parseOptions } from '../../../infra/release/options.ts';
import { ReleaseError } from '../../../infra/release/release-error.ts';
import { reportChanges, sortChanges } from '../../../infra/release/report.ts';
import { chooseVersion, type VersionWish } from '../../../infra/release/versions.ts';

const change = (verdict: Verdict): Change => ({ verdict, operations: ['listLeads'], text: 'it changed.' });
const versionOf = (wish: Partial<VersionWish>, verdicts: Verdict[], entries = '### Fixed\n\n- A mistake.') =>
  chooseVersion(
    '1.4.2',
    { breaking: false, judged: false, ...wish },
    sortChanges(verdicts.map(change)),
    entries,
  );

describe('the version', () => {
  test.each<[string, Partial<VersionWish>, Verdict[]]>([
    ['1.4.3', {}, []],
    ['1.5.0', {}, ['addition']],
    ['1.5.0', { judged: true }, ['unjudged']],
    ['2.0.0', { breaking: true }, ['break', 'addition']],
    ['2.0.0', { breaking: true }, ['unjudged']],
    ['1.5.0', { version: '1.5.0' }, []],
    ['2.0.0', { version: '2.0.0' }, ['addition']],
    ['2.0.0', { version: '2.0.0', breaking: true }, ['break']],
  ])('is %s for %j and %j', (version, wish, verdicts) => {
    expect(versionOf(wish, verdicts)).toBe(version);
  });

  test('is a minor one where the changelog has additions', () => {
    expect(versionOf({}, [], '### Added\n\n- A command.')).toBe('1.5.0');
  });

  test.each<[Partial<VersionWish>, Verdict[], string]>([
    [{ version: '1.6.0' }, [], '1.6.0 does not follow 1.4.2: 1.4.3, 1.5.0 or 2.0.0 does.'],
    [{ version: '1.4.2' }, [], '1.4.2 does not follow 1.4.2: 1.4.3, 1.5.0 or 2.0.0 does.'],
    [{ version: '1.4.3' }, ['addition'], '1.4.3 is a patch, and the API has additions: 1.5.0 is the least.'],
    [
      {},
      ['break'],
      'The API breaks clients, as "npm run check:api" tells: undo that, or say --breaking to release 2.0.0.',
    ],
    [
      { version: '2.0.0' },
      ['break'],
      'The API breaks clients, as "npm run check:api" tells: undo that, or say --breaking to release 2.0.0.',
    ],
    [
      { judged: true },
      ['break', 'unjudged'],
      'The API breaks clients, as "npm run check:api" tells: undo that, or say --breaking to release 2.0.0.',
    ],
    [{ version: '1.5.0', breaking: true }, ['break'], '1.5.0 cannot break clients: 2.0.0 can.'],
    [
      {},
      ['unjudged'],
      'Some changes of the API cannot be judged, as "npm run check:api" tells: say --judged if they break no client, or --breaking if they do.',
    ],
    [{ breaking: true }, ['addition'], 'Nothing of the API breaks clients: leave --breaking out.'],
  ])('is refused for %j and %j', (wish, verdicts, sentence) => {
    expect(() => versionOf(wish, verdicts)).toThrow(new ReleaseError(sentence));
  });
});

describe('the arguments', () => {
  test('are a version and flags', () => {
    expect(parseOptions(['2.0.0', '--breaking'])).toEqual({
      version: '2.0.0',
      breaking: true,
      judged: false,
      help: false,
    });
    expect(parseOptions([])).not.toHaveProperty('version');
  });

  test.each([
    [['1.2'], '"1.2" is no version: say it as 1.2.3.'],
    [['v1.2.3'], '"v1.2.3" is no version: say it as 1.2.3.'],
    [['01.2.3'], '"01.2.3" is no version: say it as 1.2.3.'],
    [['1.2.3', '1.2.4'], 'Say one version, not 1.2.3 and 1.2.4.'],
    [['--force'], `Unknown option '--force': "npm run release -- --help" lists the options.`],
  ])('%j are refused in one sentence', (args, sentence) => {
    expect(() => parseOptions(args)).toThrow(new ReleaseError(sentence));
  });
});

describe('the report', () => {
  test('tells what breaks first, and names up to four operations', () => {
    const everywhere = { ...change('break'), operations: ['a', 'b', 'c', 'd', 'e'] };
    const changes = sortChanges([change('addition'), change('unjudged'), change('break'), everywhere]);
    expect(reportChanges(changes, '1.4.2')).toBe(`Since 1.4.2, the API has

2 changes that break clients:

  listLeads: it changed.
  a, b, c and 2 more: it changed.

1 change that cannot be judged:

  listLeads: it changed.

1 change that breaks no client:

  listLeads: it changed.
`);
  });

  test('says that nothing changed', () => {
    expect(reportChanges(sortChanges([]), '1.4.2')).toBe('The API is as it was in 1.4.2.\n');
  });
});
