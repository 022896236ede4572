import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LocalError } from '../../infra/local/local-error.ts';
import { gone } from '../support/project-copy.ts';
import { apiChanges } from './api-changes/part.ts';
import * as browser from './browser/tools.ts';
import * as cloudformation from './cloudformation/tools.ts';
import { description, floor } from './description/part.ts';
import { copyJars, missingTools } from './dynamodb-local/jars.ts';
import * as fuzzing from './fuzzing/tools.ts';
import { parseOptions, usage } from './options.ts';
import type { Part } from './part.ts';
import { installPackages, missingPackages } from './packages.ts';
import { runParts } from './run-parts.ts';
import * as sam from './sam/tools.ts';
import { patience } from '../support/patience.ts';

const partThat = (name: string, run: () => Promise<void>, missing?: string): Part => ({
  name,
  about: `shows ${name}`,
  missing: () => Promise.resolve(missing),
  run,
});
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
    expect(parseOptions(['--except', 'failing'], parts).chosen).toEqual([passing]);
    expect(usage(parts)).toMatch(/\n {2}passing +shows passing\n {2}failing +shows failing\n$/);
  });

  test.each([
    [['--only', 'passing,other'], 'There is no part "other": the parts are passing, failing.'],
    [['--except', 'other'], 'There is no part "other": the parts are passing, failing.'],
    [
      ['--only', 'failing', '--except', 'passing'],
      '--only and --except cannot be combined: give one of them.',
    ],
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

  test('the tests on DynamoDB Local say what they lack', async () => {
    expect(await missingTools()).toBe('there is no Java (java), which DynamoDB Local is written in.');
    install('java', 'echo \'openjdk version "11.0.2" 2019-01-15\' >&2');
    expect(await missingTools()).toBe('Java is version 11, and DynamoDB Local needs 17 or later.');
    install('java', 'echo \'openjdk version "21" 2023-09-19\' >&2');
    expect(await missingTools()).toBe('there is no Maven (mvn), by which DynamoDB Local is got.');
    install('mvn', '[ "$1" = --version ] || { echo "[ERROR] Unknown host"; exit 1; }');
    expect(await missingTools()).toBeUndefined();
    await expect(copyJars(installed)).rejects.toThrow(
      new LocalError('Maven did not get DynamoDB Local:\n[ERROR] Unknown host'),
    );
  });

  test('the comparison of descriptions says what it lacks', async () => {
    expect(await apiChanges.missing()).toBe('there is no Go (go), which oasdiff is written in.');
    install('go', '[ "$1" = version ] || { echo "go: no such host" >&2; exit 1; }');
    expect(await apiChanges.missing()).toBeUndefined();
    await expect(apiChanges.run()).rejects.toThrow(
      new LocalError('Go could not run oasdiff:\ngo: no such host'),
    );
  });

  test('the browser says what it lacks', async () => {
    expect(await browser.missingTools()).toBe(
      'there is no Chromium (chromium) on the PATH: on Debian, install chromium.',
    );
    install('chromium', 'exit 1');
    expect(await browser.missingTools()).toBe(
      'there is no npm (npm), by which the packages of Playwright and axe are got.',
    );
    install('npm', 'exit 0');
    expect(await browser.missingTools()).toBeUndefined();
  });

  test('the emulator of AWS says what it lacks', async () => {
    expect(await cloudformation.missingTools()).toBe(
      'there is no Python 3 (python3), which the emulator of AWS is written in.',
    );
    install('python3', 'echo "Python 3.9.2"');
    expect(await cloudformation.missingTools()).toBe(
      'Python is version 3.9.2, and the tools need 3.10 or later.',
    );
    install('python3', '[ "$1" = --version ] && echo "Python 3.11.7" || [ "$2" != "import ensurepip" ]');
    expect(await cloudformation.missingTools()).toBe(
      'Python has not the module ensurepip, by which pip comes into an environment: on Debian and Ubuntu, install python3-venv.',
    );
    install('python3', '[ "$1" != --version ] || echo "Python 3.11.7"');
    expect(await cloudformation.missingTools()).toBeUndefined();
    mkdirSync(join(installed, 'bin'));
    install('bin/pip', 'echo "ERROR: No matching distribution" >&2; exit 1');
    await expect(cloudformation.installTools(installed)).rejects.toThrow(
      new LocalError('pip did not get the emulator of AWS and cfn-lint:\nERROR: No matching distribution'),
    );
  });

  test('the SAM CLI says what it lacks', async () => {
    expect(await sam.missingTools()).toBe('there is no Python 3 (python3), which the SAM CLI is written in.');
    install('python3', '[ "$1" != --version ] || echo "Python 3.11.7"');
    expect(await sam.missingTools()).toBeUndefined();
    mkdirSync(join(installed, 'bin'));
    install('bin/pip', 'echo "ERROR: No matching distribution" >&2; exit 1');
    await expect(sam.installTools(installed)).rejects.toThrow(
      new LocalError('pip did not get the SAM CLI:\nERROR: No matching distribution'),
    );
  });

  test('Schemathesis says what it lacks', async () => {
    expect(await fuzzing.missingTools()).toBe(
      'there is no Python 3 (python3), which Schemathesis is written in.',
    );
    install('python3', 'echo "Python 3.10.9"');
    expect(await fuzzing.missingTools()).toBe('Python is version 3.10.9, and the tools need 3.11 or later.');
    install('python3', '[ "$1" != --version ] || echo "Python 3.11.7"');
    expect(await fuzzing.missingTools()).toBeUndefined();
    mkdirSync(join(installed, 'bin'));
    install('bin/pip', 'echo "ERROR: No matching distribution" >&2; exit 1');
    await expect(fuzzing.installTools(installed)).rejects.toThrow(
      new LocalError('pip did not get Schemathesis:\nERROR: No matching distribution'),
    );
  });

  test("a part's packages say what they lack", async () => {
    const from = join(import.meta.dirname, 'description');
    const packages = { from, one: '@redocly/cli', called: 'the packages' };
    expect(await missingPackages(packages)).toBe('there is no npm (npm), by which the packages are got.');
    install('npm', '[ "$1" = --version ]');
    expect(await missingPackages(packages)).toBe('npm reaches no registry that has the packages.');
    install('npm', '[ "$1" != ci ] || { echo "npm error code EINTEGRITY" >&2; exit 1; }');
    expect(await missingPackages(packages)).toBeUndefined();
    await using opened = new AsyncDisposableStack();
    await expect(installPackages(packages, opened)).rejects.toThrow(
      new LocalError('npm did not get the packages:\nnpm error code EINTEGRITY'),
    );
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
    if (message === undefined) await description.run();
    else await expect(description.run()).rejects.toThrow(message);
  });

  test('the command, broken off, leaves no file and no program behind', async () => {
    const temporary = join(installed, 'temporary');
    mkdirSync(temporary);
    // The program writes where it works, starts another that does not end, and does not end itself.
    const work = `echo > "$TMPDIR/file"; tail -f /dev/null & echo $$ $! > ${installed}/started; wait`;
    install('python3', `case "$1" in --version|-c) echo Python 3.11.7;; *) ${work};; esac`);
    const command = [join(import.meta.dirname, 'outside.ts'), '--only', 'cloudformation'];
    const env = { PATH: `${installed}:/usr/bin:/bin`, TMPDIR: temporary };
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
    const child = spawn(process.execPath, command, { env: { PATH: installed } });
    const [stdout, closed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect({ code: closed[0] as unknown, stdout }).toEqual({
      code: 0,
      stdout: '\nsam was left out: there is no Python 3 (python3), which the SAM CLI is written in.\n',
    });
  });
});
