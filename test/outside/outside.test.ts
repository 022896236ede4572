import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LocalError } from '../../infra/local/local-error.ts';
import { gone } from '../support/machine/project-copy.ts';
import { apiChanges } from './api-changes/part.ts';
import { browser } from './browser/part.ts';
import { cloudformation } from './cloudformation/part.ts';
import { description, floor } from './description/part.ts';
import { dynamodbLocal } from './dynamodb-local/part.ts';
import { parseOptions, usage } from './options.ts';
import type { Part } from './part.ts';
import { runParts } from './run-parts.ts';
import { patience } from '../support/patience.ts';

const partThat = (name: string, run: () => Promise<void>, missing?: string): Part => ({
  name,
  about: `shows ${name}`,
  missing: () => Promise.resolve(missing),
  run,
});
/** Lets a program take the code that an earlier one has compiled. */
const compiled = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

const passing = partThat('passing', () => Promise.resolve());
const failing = partThat('failing', () => Promise.reject(new LocalError('it is wrong.')));
const absent = partThat('absent', () => Promise.reject(new Error('It was run')), 'there is no tool.');

describe('the parts', () => {
  const run = async (...parts: Part[]) => {
    let printed = '';
    const passed = await runParts(parts, (text) => (printed += text));
    return { passed, last: printed.split('\n\n').at(-1) };
  };

  test('are run one after the other, and what became of each is told at the end', async () => {
    expect(await run(failing, absent, passing)).toEqual({
      passed: false,
      last: 'failing failed: it is wrong.\nabsent was left out: there is no tool.\npassing passed in 0 seconds.\n',
    });
  });

  test('have passed where some are left out', async () => {
    expect(await run(absent)).toEqual({ passed: true, last: '\nabsent was left out: there is no tool.\n' });
  });
});

describe('the options', () => {
  const parts = [passing, failing];

  test('choose parts', () => {
    expect(parseOptions([], parts)).toEqual({ chosen: parts, help: false });
    expect(parseOptions(['--only', 'failing'], parts).chosen).toEqual([failing]);
    expect(parseOptions(['--only', 'failing, passing'], parts).chosen).toEqual(parts);
    expect(usage(parts)).toMatch(/\n {2}passing +shows passing\n {2}failing +shows failing\n$/);
  });

  test.each([
    [['--only', 'passing,other'], 'There is no part "other": the parts are passing, failing.'],
    [['--only', ''], 'There is no part "": the parts are passing, failing.'],
    [['--quick'], `Unknown option '--quick': "npm run test:outside -- --help" lists the options.`],
  ])('%j are refused in one sentence', (args, sentence) => {
    expect(() => parseOptions(args, parts)).toThrow(new LocalError(sentence));
  });
});

describe('with nothing installed but what is said', () => {
  let installed: string;
  beforeEach(() => {
    installed = mkdtempSync(join(tmpdir(), 'installed-'));
    vi.stubEnv('PATH', installed);
    vi.stubEnv('TMPDIR', installed);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(installed, { recursive: true });
  });

  function install(program: string, script: string): void {
    const file = join(installed, program);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  type Step = [lacks: string | undefined, program?: string, script?: string];
  const noMatch = '#!/bin/sh\necho "ERROR: No matching distribution" >&2; exit 1';
  const python: Step[] = [
    [
      'there is no Python 3 (python3), which the emulator of AWS is written in.',
      'python3',
      'echo "Python 3.9.2"',
    ],
    [
      'Python is version 3.9.2, and the tools need 3.10 or later.',
      'python3',
      '[ "$1" = --version ] && echo "Python 3.11.7"',
    ],
    [
      'Python has not the modules venv and ensurepip: on Debian and Ubuntu, install python3-venv.',
      'python3',
      `case "$1" in --version) echo Python 3.11.7;; esac
      [ "$2" != venv ] || { PATH=/usr/bin:/bin; mkdir -p "$3/bin"; cd "$3/bin"; echo '#!/bin/sh' > pip; echo '${noMatch}' > uv; chmod +x pip uv; }`,
    ],
    [undefined],
  ];

  test.each<[string, Part, failure: string, Step[]]>([
    [
      'DynamoDB Local',
      dynamodbLocal,
      'Maven did not get DynamoDB Local:\n[ERROR] Unknown host',
      [
        [
          'there is no Java (java), which DynamoDB Local is written in.',
          'java',
          'echo "openjdk 11.0.2 2019-01-15"',
        ],
        ['Java is version 11, and DynamoDB Local needs 17 or later.', 'java', 'echo "openjdk 21 2023-09-19"'],
        [
          'there is no Maven (mvn), by which DynamoDB Local is got.',
          'mvn',
          '[ "$1" = --version ] || { echo "[ERROR] Unknown host"; exit 1; }',
        ],
        [undefined],
      ],
    ],
    [
      'the comparison of descriptions',
      apiChanges,
      'Go could not build oasdiff:\ngo: no such host',
      [
        [
          'there is no Go (go), which oasdiff is written in.',
          'go',
          '[ "$1" = version ] || { echo "go: no such host" >&2; exit 1; }',
        ],
        [undefined],
      ],
    ],
    [
      'the browser',
      browser,
      'npm did not get the packages of Playwright and axe:\nnpm error code EINTEGRITY',
      [
        ['there is no Chromium (chromium) on the PATH: on Debian, install chromium.', 'chromium', 'exit 1'],
        [
          'there is no npm (npm), by which the packages of Playwright and axe are got.',
          'npm',
          '[ "$1" = --version ]',
        ],
        [
          'npm reaches no registry that has the packages of Playwright and axe.',
          'npm',
          '[ "$1" != ci ] || { echo "npm error code EINTEGRITY" >&2; exit 1; }',
        ],
        [undefined],
      ],
    ],
    [
      'the emulator of AWS',
      cloudformation,
      'uv did not get the emulator of AWS:\nERROR: No matching distribution',
      python,
    ],
  ])('%s says what it lacks', async (_, part, failure, steps) => {
    for (const [lacks, program, script] of steps) {
      expect(await part.missing()).toBe(lacks);
      if (program !== undefined) install(program, script ?? '');
    }
    await expect(part.run(installed)).rejects.toThrow(new LocalError(failure));
  });

  test.each([
    [floor, '', undefined],
    [floor, 'No such tag', 'Redocly found mistakes in the description:\nNo such tag'],
    [floor - 1, '', /^the description scores .+, less than .+: describe what is new .+ in the commit\.$/],
  ])("a description's score of %d with the lint %j is judged", async (agentReadiness, found, message) => {
    const score = JSON.stringify({ agentReadiness, discoverability: 91, subscores: { errorClarity: 1 } });
    const redocly = `if (process.argv[2] === 'score') console.log('${score}');
      else if ('${found}' !== '') { console.log('${found}'); process.exitCode = 1; }`;
    writeFileSync(join(installed, 'cli.js'), redocly);
    const folder = 'node_modules/@redocly/cli/bin';
    install('npm', `PATH=/usr/bin:/bin; mkdir -p ${folder} && cp ${join(installed, 'cli.js')} ${folder}`);
    if (message === undefined) await description.run(installed);
    else await expect(description.run(installed)).rejects.toThrow(message);
  });

  test('the command, broken off, leaves no file and no program behind', async () => {
    const temporary = join(installed, 'temporary');
    mkdirSync(temporary);
    // The program writes where it works, starts another that does not end, and does not end itself.
    const work = `echo > "$TMPDIR/file"; tail -f /dev/null & echo $$ $! > ${installed}/started; wait`;
    install('python3', `case "$1" in --version|-c) echo Python 3.11.7;; *) ${work};; esac`);
    const command = [join(import.meta.dirname, 'outside.ts'), '--only', 'cloudformation'];
    const env = { ...compiled, PATH: `${installed}:/usr/bin:/bin`, TMPDIR: temporary };
    const child = spawn(process.execPath, command, { env, stdio: 'ignore' });
    const closed = once(child, 'close');
    const pids = await vi.waitFor(() => {
      const text = readFileSync(join(installed, 'started'), 'utf8');
      expect(text).toMatch(/\n$/);
      return text.trim().split(' ').map(Number);
    }, patience);
    child.kill('SIGTERM');
    expect(await closed).toEqual([1, null]);
    await gone(pids);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('the command leaves a part without tools out, and succeeds', async () => {
    const command = [join(import.meta.dirname, 'outside.ts'), '--only', 'sam'];
    const child = spawn(process.execPath, command, { env: { ...compiled, PATH: installed } });
    const [stdout, closed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect({ code: closed[0] as unknown, stdout }).toEqual({
      code: 0,
      stdout: '\nsam was left out: there is no Python 3 (python3), which the SAM CLI is written in.\n',
    });
  });
});
