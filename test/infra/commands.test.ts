import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { root } from '../../infra/root.ts';
import { parseOptions as parseStart } from '../../infra/local/options.ts';
import { parseOptions as parseRelease } from '../../infra/release/options.ts';
import { pipelineSettingsOf } from '../../infra/stack/pipeline-settings.ts';
import { settingsOf } from '../../infra/stack/settings-schema.ts';
import { parseStage } from '../../infra/stack/stage.ts';
import { stageFileOf } from '../../infra/stack/stages.ts';
import { parseOptions as parseBench } from '../bench/options.ts';
import { parseOptions as parseDeployed } from '../deployed/options.ts';
import { parseOptions as parseOutside } from '../outside/options.ts';
import { parseOptions as parseSimulate } from '../simulation/run/options.ts';
import { admin } from '../support/admin.ts';
import { newFolder } from '../support/new-folder.ts';

const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })];
const workflows = globSync('.github/workflows/*.yml', { cwd: root });

/** Lines of shell in a page: its blocks, and the code in its text. */
function shellIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
  const inline = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)].map(
    ([, code = '']) => code.replaceAll(/\s+/g, ' '),
  );
  return [...blocks.flatMap(linesOf), ...inline];
}

/** Lines of shell in the steps of a workflow, for the stage `prod` where a step is for each stage. */
function shellInSteps(workflow: string): string[] {
  const text = readFileSync(join(root, workflow), 'utf8').replaceAll('${{ matrix.stage }}', 'prod');
  return [...text.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n)+)|(.*))/gm)].flatMap(
    ([, , block, line = '']) => linesOf(block ?? line),
  );
}

const linesOf = (block: string) => block.replaceAll(/ *\\\n */g, ' ').split('\n');

/**
 * Every npm command in the docs and the workflows, with its page. A command with `…` or `<` is incomplete, and left
 * out.
 */
const commands = [
  ...pages.map((page) => ({ page, lines: shellIn(page) })),
  ...workflows.map((page) => ({ page, lines: shellInSteps(page) })),
].flatMap(({ page, lines }) =>
  lines
    .flatMap((line) => line.replace(/\s#.*$/, '').split(/\s*(?:&&|\||;|>|\$\()\s*/))
    .map((command) => command.trim().replace(/^(?:\w+=\S+ )*/, ''))
    .filter((command) => /^(npm|npx) /.test(command) && !/[…<]/.test(command))
    .map((command) => ({ page, command })),
);

interface Manifest {
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
  dependencies?: Record<string, string>;
}
const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
const { scripts = {}, devDependencies } = manifestIn('.');
/** Packages that a page may name: those of the project, and of the part that tries the page's clients. */
const packages = { ...devDependencies, ...manifestIn('test/outside/clients').dependencies };

/** Checks a package that a page runs or installs. A version is the version that the tests use. */
function checkPackage(named: string): void {
  const [, name = '', version = ''] = /^(@?[^@]+)@?(.*)$/.exec(named) ?? [];
  expect(Object.keys(packages)).toContain(name);
  if (version.includes('.')) expect(packages[name]).toBe(version);
}

/** Values of `-c name=value`, by name. */
function contextIn(args: string[]): Record<string, string> {
  const given = args.flatMap((arg, at) => (arg === '-c' ? [args[at + 1] ?? ''] : []));
  const pairs = given.map((one): [string, string] => {
    const [name = '', value = ''] = one.split(/=(.*)/s);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}

/** Checks the settings that a command gives by `-c` against the stage's schema. */
function checkSettings(args: string[], stage?: string): void {
  const { stage: named, like, ...settings } = contextIn(args);
  // The commands after the first deployment are for a stage with alarm addresses in its file.
  settingsOf({ alarmAddresses: 'none', ...stageFileOf(parseStage(stage ?? named), like) }, settings);
}

/** Checks a correct `preflight` or `drill`, which ends with the message that no region is set. */
async function checkDeployed(args: string[]): Promise<void> {
  checkSettings(args, args[args.indexOf('--stage') + 1]);
  const nowhere = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_CONFIG_FILE: '/dev/null' };
  for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
  const { stderr } = await admin(args);
  vi.unstubAllEnvs();
  expect(stderr).toMatch(/^There is no AWS region/);
}

interface CdkOption {
  alias?: string;
}
/** Options of the CDK's command line, as its own parser has them. */
const cdkOptions = JSON.parse(
  readFileSync(join(root, 'node_modules/aws-cdk/lib/cli/cli-type-registry.json'), 'utf8'),
) as {
  globalOptions: Record<string, CdkOption>;
  commands: Record<string, { options?: Record<string, CdkOption> }>;
};

/** Checks a command of the CDK: its name, its options, and the settings of the app. */
function checkCdk([name = '', ...args]: string[]): void {
  expect(Object.keys(cdkOptions.commands)).toContain(name);
  const known = Object.entries({
    ...cdkOptions.globalOptions,
    ...cdkOptions.commands[name]?.options,
  }).flatMap(([option, { alias }]) => [
    `--${option}`,
    `--no-${option}`,
    ...(alias === undefined ? [] : [`-${alias}`]),
  ]);
  for (const option of args.filter((arg) => arg.startsWith('-')))
    expect(known).toContain(option.replace(/=.*/, ''));
  if (args.includes('node infra/pipeline.ts')) pipelineSettingsOf(contextIn(args));
  else checkSettings(args, args.includes('-c') ? undefined : 'dev');
}

const noMachine = join(tmpdir(), 'no-machine');

/** Checks an admin command. A correct one ends with the message that no machine is running. */
async function checkAdmin(args: string[]): Promise<void> {
  // A command that is named without its options is a pointer to its help.
  if (args.every((arg) => /^[a-z][a-z-]*$/.test(arg))) args = [...args, '--help'];
  if (['preflight', 'drill'].includes(args[0] ?? '') && !args.includes('--help')) return checkDeployed(args);
  const local = args.flatMap((arg, at) => {
    if (['--stage', '--table'].includes(arg) || ['--stage', '--table'].includes(args[at - 1] ?? ''))
      return [];
    return arg === '--local' ? [] : [arg];
  });
  const { code, stderr } = await admin([...local, '--local', '--data', noMachine]);
  if (!args.includes('--help')) expect(stderr).toMatch(/^No "npm start" runs with the data folder /);
  else expect(code, stderr).toBe(0);
}

function checkStart(args: string[]): void {
  parseStart(args);
  checkSettings(args, 'dev');
}

const parts = globSync('test/outside/*/part.ts', { cwd: root }).map((file) => {
  const name = file.split('/')[2] ?? '';
  return { name, about: '', run: () => Promise.reject(new Error(name)) };
});

/** Checks of arguments, by the script that takes them. */
const checks: Record<string, (args: string[]) => unknown> = {
  start: checkStart,
  admin: checkAdmin,
  bench: parseBench,
  simulate: parseSimulate,
  'test:deployed': (args) => args.length > 0 && parseDeployed(args),
  'test:outside': (args) => parseOutside(args, parts as unknown as Parameters<typeof parseOutside>[1]),
  release: parseRelease,
};

/** Checks a command. @throws Error that says how to correct it */
async function check(command: string): Promise<void> {
  // A variable of the shell stands for an organization or a table.
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replace(/^\$\{?\w+\}?$/, '6H8EV880'),
  );
  const [program, ...rest] = words.filter((word) => word !== '--silent');
  const divider = rest.indexOf('--');
  const args = divider < 0 ? [] : rest.slice(divider + 1);
  const [first = '', second = ''] = rest;
  if (program === 'npx') {
    if (first === 'cdk') checkCdk(rest.slice(1));
    else if (first === 'node' && second === 'infra/local/start.ts') checkStart(rest.slice(2));
    else if (first !== '--package') checkPackage(first === '-y' ? second : first);
    return;
  }
  if (first === 'install') {
    checkPackage(second);
    return;
  }
  if (first === 'ci') {
    expect(existsSync(join(root, second === '--prefix' ? (rest[2] ?? '') : '.', 'package-lock.json'))).toBe(
      true,
    );
    return;
  }
  const script = first === 'run' ? second : first;
  expect(scripts, `package.json has no script "${script}"`).toHaveProperty([script]);
  const checkArgs = checks[script];
  if (!checkArgs && args.length > 0)
    throw new Error(`Nothing checks the arguments of "${script}": add its parser to "checks" in this test`);
  await checkArgs?.(args);
}

describe('a command in the docs and the workflows is valid', () => {
  test.each(commands)('$page: $command', ({ command }) => check(command));

  test('and there are some', () => {
    expect(commands.length).toBeGreaterThan(80);
    expect(commands.filter(({ page }) => page.endsWith('deploy.yml')).length).toBeGreaterThan(12);
  });

  test.each(['README.md', 'docs/operations.md'])(
    'the first that deploys prod in %s says who is told of alarms',
    (page) => {
      const first = commands.find((one) => one.page === page && /cdk deploy .*stage=prod/.test(one.command));
      expect(first?.command).toMatch(/ -c alarmAddresses=/);
    },
  );
});

/**
 * Files that commands in the docs write, or read personal data from: redirected output, and the files of
 * `import` and `export`.
 */
const files = pages.flatMap((page) => {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```/gm);
  return [...blocks].flatMap(([, block = '']) =>
    [
      ...block.matchAll(
        / > ([\w./~-]+\.\w+)|(?:organization|leads) (?:im|ex)port (?:"([^"]+)"|([\w./~-]+))/g,
      ),
    ].flatMap(([, one, two, three]) => {
      const file = one ?? two ?? three ?? '';
      return /^(?:-|\/dev\/)/.test(file) ? [] : [{ page, file }];
    }),
  );
});

test.each(files)('$page: $file is not in the repository, or git ignores it', ({ file }) => {
  if (/^[~/]/.test(file)) return;
  const { status } = spawnSync('git', ['check-ignore', '--no-index', '--quiet', file], { cwd: root });
  expect(status).toBe(0);
});

/** Runs a program to its end. Drops npm's own warnings. */
function ended(program: string, args: string[], cwd = root) {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  return { status, stderr: stderr.replaceAll(/^npm .*\n/gm, '') };
}

const oneSentence = (start: string) => ({
  status: 1,
  stderr: expect.stringMatching(new RegExp(`^${RegExp.escape(start)}[^\\n]+\\n$`)) as string,
});

test('the first scripts that a person runs say in one sentence that nothing is installed', () => {
  expect(scripts['test']).toMatch(/^node infra\/installed\.js && /);
  const folder = newFolder();
  for (const file of ['infra/installed.js', 'infra/run-script.js', 'package.json'])
    cpSync(join(root, file), join(folder, file));
  for (const name of ['start', 'admin'])
    expect(ended('npm', ['run', '--silent', name], folder)).toEqual(oneSentence('Run "npm ci" first: '));
});

describe('a script in TypeScript, run by a Node.js without TypeScript, names the command in one sentence', () => {
  const programs = Object.entries(scripts).flatMap(([name, command]) =>
    [...command.matchAll(/(\S+) (\S+\.ts)/g)].map(([, runner, file = '']) => ({ name, runner, file })),
  );

  test.each(programs)('$file: npm run $name', ({ name, runner, file }) => {
    expect(runner).toBe('infra/run-script.js');
    const args = ['--no-experimental-strip-types', 'infra/run-script.js', file];
    expect(ended(process.execPath, args)).toEqual(oneSentence(`Run "npm run ${name}": `));
  });

  test('and there are some', () => {
    expect(programs.length).toBeGreaterThan(8);
  });
});
