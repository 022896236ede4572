import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../../infra/root.ts';

const parts = [
  'functions',
  'shared',
  'infra',
  'package.json',
  'package-lock.json',
  'cdk.json',
  'tsconfig.json',
  'docs',
];

/**
 * A copy of the project that a test may change. Its installed packages and its assemblies are links to this project's: a
 * start of the unchanged copy with `unthrottledOptions` takes the assembly of the test run.
 */
export class ProjectCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'project-'));
  readonly #starts: Start[] = [];

  /** Makes a copy, without the package or the scope of packages that `without` names. */
  constructor({ without }: { without?: string } = {}) {
    for (const part of parts) {
      cpSync(join(root, part), join(this.folder, part), { recursive: true });
    }
    this.#link('node_modules', without);
    this.#link('node_modules/.cache/sales-pipeline-service');
  }

  /** Makes a folder of links to what the project's folder has. */
  #link(path: string, without?: string): void {
    mkdirSync(join(this.folder, path), { recursive: true });
    for (const name of globSync('{*,.[!.]*}', { cwd: join(root, path) }))
      if (name !== '.cache' && name !== without)
        symlinkSync(join(root, path, name), join(this.folder, path, name));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  edit(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    this.write(file, text.replace(from, to));
  }

  /** Starts what `npm start` starts; by `npm` itself only if the test is about npm. */
  start(args: string[] = [], env: Record<string, string> = {}, { npm = false } = {}): Start {
    const command = npm ? ['npm', 'start', '--'] : [process.execPath, 'infra/local/start.ts'];
    const start = new Start(this.folder, [...command, ...args], env);
    this.#starts.push(start);
    return start;
  }

  /** Runs what `npm run admin` runs, to its end. */
  admin(args: string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.run('infra/admin/admin.ts', args, env);
  }

  async run(program: string, args: string[] = [], env: Record<string, string> = {}): Promise<Ended> {
    const options = { cwd: this.folder, env: { ...process.env, ...env } };
    const child = spawn(process.execPath, [program, ...args], options);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }

  /** Ends all processes that still run, and removes the copy. */
  async remove(): Promise<void> {
    await Promise.all(this.#starts.map((start) => start.end('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Output of a program, and its exit code. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running `npm start`, as a person at the terminal sees it. */
export class Start {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #output = '';
  #errors = '';

  constructor(folder: string, [command = '', ...args]: string[], env: Record<string, string>) {
    // Drop what npm has set for the process of the tests.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|DYNAMODB_ENDPOINT$)/.test(name),
    );
    this.#child = spawn(command, args, {
      cwd: folder,
      // A killed start leaves files behind: they are removed with the copy.
      env: { ...Object.fromEntries(inherited), TMPDIR: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    this.#child.stderr?.on('data', (text: string) => (this.#errors += text));
    this.#exit = once(this.#child, 'close').then(([code]: unknown[]) =>
      typeof code === 'number' ? code : null,
    );
  }

  /** Output so far. */
  get output(): string {
    return this.#output;
  }

  /** Standard error so far: what went wrong, without the steps of the start. */
  get errors(): string {
    return this.#errors;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits until the output matches. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      const ended = this.#exit.then(() => 'ended');
      if ((await Promise.race([once(this.#child.stdout!, 'data'), ended])) === 'ended')
        throw new Error(`It ended without ${String(pattern)}:\n${this.#output}`);
    }
  }

  /** Waits until requests are answered. */
  async ready(): Promise<{ baseUrl: string; tokens: string[] }> {
    await this.until(/Ctrl-C ends it/);
    const [, baseUrl = ''] = await this.until(/is at (http:\S+)/);
    return { baseUrl, tokens: this.#output.match(/(?<= )sk_test_\w{36}$/gm) ?? [] };
  }

  /** Waits for the end. Returns the exit code. */
  ended(): Promise<number | null> {
    return this.#exit;
  }

  async end(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exit;
  }
}

/** Finds the living descendants of a process. */
export function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === ''
    ? []
    : children.split(' ').flatMap((text) => [Number(text), ...descendants(Number(text))]);
}

/** Waits until all of the processes have ended. */
export async function gone(pids: number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * True if a process runs. A zombie, which has ended and was not waited for, does not run once all of its
 * threads have ended.
 */
function isRunning(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).length;
    return threads > 1 || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
