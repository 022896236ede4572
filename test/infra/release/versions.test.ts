import { describe, expect, test } from 'vitest';
import { reportChanges, type ApiChanges } from '../../../infra/release/compare-api.ts';
import { parseOptions, ReleaseError, type VersionOptions } from '../../../infra/release/options.ts';
import { chooseVersion } from '../../../infra/release/versions.ts';

type Verdict = keyof ApiChanges;

const change = { operations: ['listLeads'], text: 'it changed' };
const changesOf = (verdicts: Verdict[]): ApiChanges => {
  const of = (verdict: Verdict) => verdicts.filter((each) => each === verdict).map(() => change);
  return { breaks: of('breaks'), unsure: of('unsure'), additions: of('additions') };
};
const versionOf = (
  options: Partial<VersionOptions>,
  verdicts: Verdict[],
  entries = '### Fixed\n\n- A mistake.',
) => chooseVersion('1.4.2', { breaking: false, judged: false, ...options }, changesOf(verdicts), entries);
const judgedVersionOf = (options: Partial<VersionOptions>) =>
  chooseVersion('1.4.2', { breaking: false, judged: false, ...options }, { why: 'there is no Go' }, '');

describe('the version', () => {
  test.each<[string, Partial<VersionOptions>, Verdict[]]>([
    ['1.4.3', {}, []],
    ['1.5.0', {}, ['additions']],
    ['1.5.0', { judged: true }, ['unsure']],
    ['2.0.0', { breaking: true }, ['breaks', 'additions']],
    ['2.0.0', { breaking: true }, ['unsure']],
    ['1.5.0', { version: '1.5.0' }, []],
    ['2.0.0', { version: '2.0.0' }, ['additions']],
    ['2.0.0', { version: '2.0.0', breaking: true }, ['breaks']],
  ])('is %s for %j and %j', (version, options, verdicts) => {
    expect(versionOf(options, verdicts)).toBe(version);
  });

  test('is a minor one if the changelog has additions', () => {
    expect(versionOf({}, [], '### Added\n\n- A command.')).toBe('1.5.0');
  });

  test.each<[Partial<VersionOptions>, Verdict[], string]>([
    [{ version: '1.6.0' }, [], '1.6.0 does not follow 1.4.2: say 1.4.3, 1.5.0 or 2.0.0.'],
    [{ version: '1.4.2' }, [], '1.4.2 does not follow 1.4.2: say 1.4.3, 1.5.0 or 2.0.0.'],
    [{ version: '1.4.3' }, ['additions'], '1.4.3 is a patch, and the API has additions: say 1.5.0 or 2.0.0.'],
    [
      { judged: true },
      ['breaks', 'unsure'],
      'The API breaks clients: undo that, or say --breaking to release 2.0.0.',
    ],
    [{ version: '1.5.0', breaking: true }, ['breaks'], '1.5.0 cannot break clients: say 2.0.0.'],
    [
      {},
      ['unsure'],
      'Some changes may break clients: look at them, then say --judged if they break none, or --breaking.',
    ],
    [{ breaking: true }, ['additions'], 'No change of the API breaks clients: leave --breaking out.'],
  ])('is refused for %j and %j', (options, verdicts, sentence) => {
    expect(() => versionOf(options, verdicts)).toThrow(new ReleaseError(sentence));
  });

  test('is that of a person without oasdiff, who says it, or that clients break', () => {
    expect(judgedVersionOf({ version: '1.5.0', judged: true })).toBe('1.5.0');
    expect(judgedVersionOf({ breaking: true })).toBe('2.0.0');
    expect(() => judgedVersionOf({ judged: true })).toThrow(
      'oasdiff did not compare the API, since there is no Go: ',
    );
  });
});

test.each([
  [['1.2'], '"1.2" is no version: say it as 1.2.3.'],
  [['v1.2.3'], '"v1.2.3" is no version: say it as 1.2.3.'],
  [['01.2.3'], '"01.2.3" is no version: say it as 1.2.3.'],
  [['1.2.3', '1.2.4'], 'Say one version, not 1.2.3 and 1.2.4.'],
  [['--force'], `Unknown option '--force': "npm run release -- --help" lists the options.`],
])('the arguments: %j are refused in one sentence', (args, sentence) => {
  expect(() => parseOptions(args)).toThrow(new ReleaseError(sentence));
});

test('the report lists breaks first, and names up to four operations', () => {
  const everywhere = { ...change, operations: ['a', 'b', 'c', 'd', 'e'] };
  const withoutOperation = { operations: [], text: 'it is gone' };
  const changes = { breaks: [change, everywhere, withoutOperation], unsure: [change], additions: [change] };
  expect(reportChanges(changes)).toBe(`Breaks clients (3):

  listLeads: it changed
  a, b, c, 2 more operations: it changed
  it is gone

May break clients (1):

  listLeads: it changed

Breaks no client (1):

  listLeads: it changed

`);
});
