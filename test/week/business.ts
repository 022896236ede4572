import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { MachineClock } from '../../infra/local/clock.ts';
import { type DataFolder, takeFolder } from '../../infra/local/data-folder.ts';
import { Machine } from '../../infra/local/machine.ts';
import type { WorkerRun } from '../../infra/local/workers/worker-run.ts';
import { servedApi, type ServedApi } from '../support/machine/served-api.ts';
import type { SmsAtProvider } from '../../infra/local/messaging/sms-stand-in.ts';
import { receiveTextsWorker, resolveSendingWorker } from '../../shared/contract/sms.ts';
import { recordTypes } from '../../shared/contract/events.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { admin } from '../support/admin.ts';
import { ApiClient } from '../support/api-client.ts';
import { copyProgram, type CopyProgram } from '../support/docs/copy-program.ts';
import { loggingInto, logSentInto, type RunLog } from '../support/machine/run-log.ts';
import { timeOf, timeZone, type Day } from './calendar.ts';

/** Interval in milliseconds of the one worker with a schedule. */
const rhythm = 5 * 60_000;

/** Number of the business for SMS. */
export const ownNumber = '+61491579455';

/**
 * A small business on its own local machine. The story moves the machine's clock. The operator's command line
 * founds the business, gives it tokens and verifies it.
 */
export class Business {
  /** Names of leads and inquiries in the story. */
  readonly names = new Names();
  readonly #folder: string;
  readonly #data: DataFolder;
  readonly #clock = new MachineClock();
  #machine: Machine | undefined;
  #served: ServedApi | undefined;
  #baseUrl = '';
  #code = '';
  #ownerId = '';
  #token = '';
  #copy: DatabaseSync | undefined;
  #copyProgram: Promise<CopyProgram> | undefined;
  #startedAt = 0;
  #ran: () => void = () => undefined;
  #ranForTexts: (run: WorkerRun) => void = () => undefined;
  readonly #sent: SmsAtProvider[] = [];

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'week-'));
    this.#data = takeFolder(this.#folder);
  }

  /** Starts the machine shortly before the week. It writes into the log of the functional tests. */
  static async open(runLog: RunLog): Promise<Business> {
    const business = new Business();
    try {
      await business.#start(runLog);
      return business;
    } catch (error) {
      await business.close();
      throw error;
    }
  }

  async #start(runLog: RunLog): Promise<void> {
    // Half a minute off, so that the worker never runs at a time of the story.
    this.#clock.moveBy(timeOf('Sun before', '23:57:30') - this.#clock.now());
    const { database: _, queues: __, ...inMemory } = this.#data;
    const machine = await Machine.start({
      ...inMemory,
      assembly: inject('assembly'),
      watch: false,
      clock: this.#clock,
      keepSms: (text) => this.#sent.push(text),
      onRun: (run) => {
        if (run.name === resolveSendingWorker.name) this.#ran();
        else if (run.name === receiveTextsWorker.name) this.#ranForTexts(run);
      },
      ...loggingInto(runLog),
    });
    this.#machine = machine;
    this.#startedAt = this.#clock.now();
    const { engine, tableName, smsEndpoint, textsTopicArn } = machine;
    this.#data.announce({ endpoint: engine.endpoint, tableName, smsEndpoint, textsTopicArn });
    const logSent = logSentInto(runLog);
    this.#served = await servedApi((request) => {
      logSent(request);
      return machine.answer(request);
    });
    this.#baseUrl = this.#served.baseUrl;
  }

  /** Founds the organization by the command line. Returns the owner's token. */
  async found(): Promise<string> {
    const owner = [
      '--owner-first-name',
      'Mia',
      '--owner-last-name',
      'Tran',
      '--owner-email',
      'mia@example.com',
    ];
    const place = ['--name', 'Torrens Plumbing', '--trade', 'plumbing', '--country', 'AU'];
    const founded = await this.#operator(
      'organization',
      'create',
      ...place,
      '--time-zone',
      timeZone,
      ...owner,
    );
    const { organization, ownerId, token } = founded as Record<'organization' | 'ownerId' | 'token', string>;
    this.#code = organization;
    this.#ownerId = ownerId;
    this.#token = token;
    return token;
  }

  /** Issues a token by the command line. A token for forms is for these websites. */
  async issueToken(name: string, scopes: readonly Scope[], sites: readonly string[] = []): Promise<string> {
    const given = ['--organization', this.#code, '--name', name, '--scopes', scopes.join()];
    if (sites.length > 0) given.push('--sites', sites.join());
    return ((await this.#operator('token', 'issue', ...given)) as { token: string }).token;
  }

  /** Adds the number for SMS by the command line. */
  async addNumber(): Promise<void> {
    const added = await this.#operator('number', 'add', '--organization', this.#code, '--number', ownNumber);
    expect(added).toMatchObject({ number: ownNumber, isNew: true, toSwitchOn: [] });
  }

  get ownerId(): string {
    return this.#ownerId;
  }

  /** `scopes`: the scopes of the token. */
  clientWith(token: string, scopes: readonly Scope[]): ApiClient {
    return new ApiClient(this.#baseUrl, token, scopes);
  }

  /** Sends a request to the business's own address. */
  request(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}`, { ...init, redirect: 'manual' });
  }

  /** SMS sent to a number, oldest first. */
  sentTo(number: string): SmsAtProvider[] {
    return this.#sent.filter(({ to }) => to === number);
  }

  /** Waits until this many notifications that `act` causes are processed. */
  async whileTold<T>(times: number, act: () => Promise<T>): Promise<T> {
    let left = times;
    const isStored = new Promise<void>((resolve, reject) => {
      this.#ranForTexts = ({ name, failed, troubles }) => {
        if (failed !== undefined) reject(new Error(`A run of ${name} failed: ${troubles.join('\n')}`));
        if (--left === 0) resolve();
      };
    });
    const result = await act();
    await isStored;
    return result;
  }

  /** Moves the clock to this local time. @throws Error if it is in the past */
  async at(day: Day, time: string): Promise<void> {
    const from = this.#clock.now();
    const to = timeOf(day, time);
    if (to < from) throw new Error(`It is later than ${day} ${time}`);
    const roundsBy = (time: number) => Math.floor((time - this.#startedAt) / rhythm);
    const ran = new Promise<void>((resolve) => (this.#ran = resolve));
    this.#clock.moveBy(to - from);
    // The worker runs once for all missed intervals. If it still ran at the next move, it would time out.
    if (roundsBy(to) > roundsBy(from)) await ran;
  }

  /** Report of `organization verify` as JSON. @throws Error if it finds anything */
  async verify(): Promise<unknown> {
    return this.#operator('organization', 'verify', '--organization', this.#code);
  }

  /** Imports a CSV file by the command line. Returns the result of each line. */
  async imports(
    csv: string,
  ): Promise<{ created: { id: string }[]; alreadyThere: { line: number; id: string }[] }> {
    const file = join(this.#folder, 'leads.csv');
    writeFileSync(file, csv);
    const report = await this.#operator('leads', 'import', file, '--organization', this.#code);
    return report as Awaited<ReturnType<Business['imports']>>;
  }

  /** Brings a copy of the organization's records up to date, by the program of docs/guides/keeping-in-step.md. */
  async follow(): Promise<void> {
    const { openCopy, step, upToDate } = await (this.#copyProgram ??= copyProgram());
    const copy = (this.#copy ??= openCopy(':memory:'));
    const api = this.clientWith(this.#token, ['read', 'write']);
    const ask = async (path: string) => {
      const { status, body } = await api.send('GET', path);
      return { status, body };
    };
    while ((await step(copy, ask)) !== upToDate);
  }

  /** Records of that copy: `lead lead_…` and the copied record. */
  copied(): Map<string, unknown> {
    const rows = this.#copy?.prepare('SELECT * FROM records').all() ?? [];
    return new Map(
      rows.map(({ type, id, record }) => [
        `${String(type)} ${String(id)}`,
        JSON.parse(String(record)) as unknown,
      ]),
    );
  }

  /** Names of the records in an export, as `copied` has them. */
  async exported(): Promise<string[]> {
    const folder = join(this.#folder, 'export');
    await this.#operator('organization', 'export', folder, '--organization', this.#code);
    return Object.keys(recordTypes).flatMap((type) => {
      const file = join(folder, `${type.replace(/y$/, 'ie')}s.jsonl`);
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      return lines.map(
        (line) => `${type} ${String((JSON.parse(line) as { record: { id: unknown } }).record.id)}`,
      );
    });
  }

  /**
   * Exports the organization, imports the copy as another one, and verifies that. Returns the other's token.
   */
  async copies(): Promise<string> {
    const folder = join(this.#folder, 'copy');
    await this.#operator('organization', 'export', folder, '--organization', this.#code);
    const founded = await this.#operator('organization', 'import', folder);
    const { organization, token } = founded as Record<'organization' | 'token', string>;
    await this.#operator('organization', 'verify', '--organization', organization);
    return token;
  }

  async #operator(...args: string[]): Promise<unknown> {
    const options = ['--local', '--data', this.#folder, '--json'];
    const { code, stdout, stderr } = await admin([...args, ...options], { now: () => this.#clock.now() });
    expect(code, `${stdout}${stderr}`).toBe(0);
    return JSON.parse(stdout) as unknown;
  }

  async close(): Promise<void> {
    await this.#served?.close();
    await this.#machine?.close();
    this.#data.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Names of ids in the story. */
class Names {
  readonly #ids = new Map<string, string>();

  /** Names an id. A name that is already given must be for the same id. */
  give(name: string, id: string): void {
    expect(this.#ids.get(name) ?? id, `${name} is the one who was there before`).toBe(id);
    const other = this.of(id);
    expect(other ?? name, `${name} is new`).toBe(name);
    this.#ids.set(name, id);
  }

  has(name: string): boolean {
    return this.#ids.has(name);
  }

  idOf(name: string): string {
    const id = this.#ids.get(name);
    if (id === undefined) throw new Error(`Nothing is called ${name}`);
    return id;
  }

  /** Name of an id; undefined if it has none. */
  of(id: string): string | undefined {
    for (const [name, other] of this.#ids) if (other === id) return name;
    return undefined;
  }
}
