import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { breakages } from './run/breakages.ts';

const program = fileURLToPath(new URL('./simulate.ts', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const simulate = (...args: (string | number)[]): Promise<Ended> =>
  new Promise((resolve) => {
    const typed = [program, ...args.map(String)];
    execFile(process.execPath, typed, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });

const digestIn = ({ stdout }: Ended) => /Digest +(\w+)/.exec(stdout)?.[1];

describe('a run in which nothing is wrong', () => {
  test.each([1, 7])('with seed %i', async (seed) => {
    const { code, stderr } = await simulate('--seed', seed, '--operations', 15_000);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('with a new seed', async () => {
    const seed = randomInt(2 ** 31);
    const { code, stderr } = await simulate('--seed', seed, '--operations', 15_000);
    expect(stderr, `npm run simulate -- --seed ${seed}`).toBe('');
    expect(code).toBe(0);
  });

  test('is the same each time', async () => {
    const [one, other] = [
      await simulate('--episode', 4, '--operations', 1),
      await simulate('--episode', 4, '--operations', 1),
    ];
    expect(digestIn(one)).toBeDefined();
    expect(digestIn(other)).toBe(digestIn(one));
  });
});

describe('what is broken on the way to DynamoDB is found', () => {
  // Which of these is met first, chance decides.
  const rules = [
    'A commit must store what the model says',
    'A refused request must have stored nothing',
    'A refusal must be right at some moment while the request ran',
    'An answer must tell what was stored',
    'An answer of a request that stored nothing must be right at some moment while it ran',
    '.* at one version',
  ];
  const sentences = new RegExp(`^(${rules.join('|')})`, 'm');

  test.each(Object.keys(breakages))('%s', async (breakage) => {
    const { code, stderr } = await simulate('--seed', 1, '--operations', 60_000, '--break', breakage);
    expect(stderr).toMatch(sentences);
    expect(stderr).toContain(`--break ${breakage}`);
    expect(code).toBe(1);
  });
});

describe('the command line', () => {
  test('--help tells the options', async () => {
    const { code, stdout } = await simulate('--help');
    expect(stdout).toContain('--operations N');
    expect(code).toBe(0);
  });

  test.each([
    [['--seed', 'x'], '--seed must be a whole number from 0, not "x".'],
    [['--operations', '0'], '--operations must be a whole number from 1, not "0".'],
    [['--minutes', '0'], '--minutes must be a number above 0, not "0".'],
    [['--speed', '9'], '"npm run simulate -- --help" lists the options.'],
    [['--minutes', '1', '--operations', '5'], '--operations and --minutes cannot be combined.'],
    [['--break', 'all'], '--break must be one of'],
  ])('%j is a mistake, told in one sentence', async (typed, sentence) => {
    const { code, stdout, stderr } = await simulate(...typed);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
