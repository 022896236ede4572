import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isNoticed } from './run/breakages.ts';
import { parseOptions } from './run/options.ts';

const program = fileURLToPath(new URL('./simulate.ts', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const runToEnd = (file: string, args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });

const simulate = (...args: (string | number)[]) => runToEnd(process.execPath, [program, ...args.map(String)]);

/** Runs with both outputs in one, in their order, as a terminal shows them. */
const simulateInTerminal = (...args: (string | number)[]) =>
  runToEnd('sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, program, ...args.map(String)]);

describe('a run without violations', () => {
  test('covers forms, calls, batches, erasures, incoming SMS, delivery reports, dead letters and webhooks', async () => {
    const often =
      'createFormSubmission,submitCallEvent,createLeads,createWebhook,eraseLead,receiveText,sendSms';
    const given = ['--seed', 1, '--operations', 4_000, '--often', often];
    const { code, stdout, stderr } = await simulate(...given);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/createFormSubmission urlencoded +201: \d/);
    expect(stdout).toMatch(/submitCallEvent retell +200: \d/);
    expect(stdout).toMatch(/createLeads +200: \d/);
    expect(stdout).toMatch(/createFaq +201: \d/);
    expect(stdout).toMatch(/eraseLead +200: \d/);
    expect(stdout).toMatch(/text STOP +200: \d/);
    expect(stdout).toMatch(/report DELIVERED +200: \d/);
    expect(stdout).toMatch(/Dead letters +[1-9]/);
    expect(stdout).toMatch(/Posts to webhooks +[1-9]/);
    expect(stdout).toMatch(/Repeats with a key +[1-9]\d*, with ids alone: [1-9]/);
    expect(code).toBe(0);
  });

  test('passes with a new seed', async () => {
    const seed = randomInt(2 ** 31);
    const { code, stderr } = await simulate('--seed', seed, '--operations', 3_000);
    expect(stderr, `npm run simulate -- --seed ${seed}`).toBe('');
    expect(code).toBe(0);
  });
});

describe('a breakage is reported', () => {
  // `.ci/run` runs all of them, one after another.
  test.each([
    ['untouched', 'A commit must store what the model says', true],
    ['untouched', undefined, false],
    ['untouched', 'The simulation met an error', false],
    ['early-done', 'A finished erasure must leave only events of the lead', true],
    ['early-done', 'A commit must store what the model says', false],
    ['lost-fill', 'What an event says of a call must be stored', true],
  ] as const)('%s by a check of its rule: %s is %s', (breakage, reported, expected) => {
    expect(isNoticed(breakage, reported)).toBe(expected);
  });

  test('with the reason and the command that replays it, below all figures', async () => {
    // Noticed in the second episode. The replay runs it alone, so the first one leaves no trace in it.
    const breaking = ['--break', 'lost-former'];
    const { code, stdout } = await simulateInTerminal('--seed', 2, '--operations', 60_000, ...breaking);
    expect(stdout).toMatch(/\nDigest .+\n\n[^]+\nCommits of that time:\n[^]+\nExpected: [^]+\nObserved: /);
    const replay =
      /\n\nA commit must store what the model says.*\nTo open: functions\/\S+\.ts, test\/simulation\/run\/commit-check\.ts:\d+\nTo replay: npm run simulate -- (--episode \d+ --break lost-former)\n$/;
    const [, options = ''] = replay.exec(stdout) ?? [];
    expect(options).not.toBe('');
    expect(code).toBe(1);
    // Equal seeds give equal episodes.
    const { stderr } = await simulate(...options.split(' '));
    expect(stdout.endsWith(stderr)).toBe(true);
  });
});

describe('the command line', () => {
  test('--help lists the options', async () => {
    const { code, stdout } = await simulate('--help');
    expect(stdout).toContain('--operations N');
    expect(code).toBe(0);
  });

  test.each([
    ['--seed', 'x', /^--seed must be a whole number from 0, not "x"\.\n$/],
    ['--often', 'createLead,makeTea', /^--often names no plan: makeTea\. The plans: .*createLead.*\.\n$/],
  ])('%s %s is refused with one sentence', async (option, value, sentence) => {
    const { code, stdout, stderr } = await simulate(option, value);
    expect(stderr).toMatch(sentence);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test.each([
    [['--operations', '0'], '--operations must be a whole number from 1, not "0".'],
    [['--minutes', '0'], '--minutes must be a number above 0, not "0".'],
    [['--speed', '9'], '"npm run simulate -- --help" lists the options.'],
    [['--minutes', '1', '--operations', '5'], '--operations and --minutes cannot be combined.'],
    [['--break', 'none'], '--break must be one of'],
  ])('%j is refused', (typed, sentence) => {
    expect(() => parseOptions(typed)).toThrow(sentence);
  });
});
