import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { MachineClock } from '../../infra/local/clock.ts';
import { takeFolder, type DataFolder } from '../../infra/local/data-folder.ts';
import { Machine } from '../../infra/local/machine.ts';
import type { WorkerRun } from '../../infra/local/worker-run.ts';
import { httpServer, listen } from '../../infra/local/server.ts';
import type { SentSms } from '../../infra/local/sms-stand-in.ts';
import { resolveSendingWorker } from '../../shared/contract/sms.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { admin } from '../support/admin.ts';
import { ApiClient } from '../support/api-client.ts';
import { recordAskedIn } from '../support/asked.ts';
import { recordMetricsIn } from '../support/emitted.ts';
import { recordLoggedIn } from '../support/logged.ts';
import type { RunRecords } from '../support/run-records.ts';
import { recordSentIn } from '../support/sent.ts';
import { timeOf, timeZone, type Day } from './calendar.ts';

/** How often the one worker with a schedule runs, in milliseconds. */
const rhythm = 5 * 60_000;

/** The business's number for texts. */
export const ownNumber = '+61491579455';

/**
 * A small business, on a machine of its own whose clock the story moves. It is founded, given its tokens and verified as an
 * operator would, by the command line.
 */
export class Business {
  /** What the story calls the leads and inquiries that come. */
  readonly names = new Names();
  readonly #folder: string;
  readonly #data: DataFolder;
  readonly #clock = new MachineClock();
  #machine: Machine | undefined;
  #server: Server | undefined;
  #baseUrl = '';
  #code = '';
  #ownerId = '';
  #startedAt = 0;
  #ran: () => void = () => undefined;
  #ranForTexts: (run: WorkerRun) => void = () => undefined;
  readonly #sent: SentSms[] = [];

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'week-'));
    this.#data = takeFolder(this.#folder);
  }

  /** Opens shortly before the week begins. What the run notes goes where the functional tests' notes go. */
  static async open(notes: RunRecords): Promise<Business> {
    const business = new Business();
    try {
      await business.#start(notes);
      return business;
    } catch (error) {
      await business.close();
      throw error;
    }
  }

  async #start(notes: RunRecords): Promise<void> {
    // Half a minute off, so that no moment of the story is one at which the worker runs.
    this.#clock.moveBy(timeOf('Sun before', '23:57:30') - this.#clock.now());
    const { database: _, queues: __, ...inMemory } = this.#data;
    const machine = await Machine.start({
      ...inMemory,
      watch: false,
      clock: this.#clock,
      keepSms: (text) => this.#sent.push(text),
      onRun: (run) => {
        if (run.name === resolveSendingWorker.name) this.#ran();
        else this.#ranForTexts(run);
      },
      onPermissionCheck: recordAskedIn(notes.asked),
      onLogLine: recordLoggedIn(notes.logged),
      onMetric: recordMetricsIn(notes.metrics),
    });
    this.#machine = machine;
    this.#startedAt = this.#clock.now();
    const { engine, tableName, smsEndpoint, textsTopicArn } = machine;
    this.#data.announce({ endpoint: engine.endpoint, tableName, smsEndpoint, textsTopicArn });
    const noteSent = recordSentIn(notes.sent);
    const server = httpServer(
      (request) => {
        noteSent(request);
        return machine.answer(request);
      },
      () => undefined,
    );
    this.#server = server;
    this.#baseUrl = `http://localhost:${await listen(server, 0)}`;
  }

  /** Has the operator found the organization; tells the owner's token. */
  async isFounded(): Promise<string> {
    const owner = [
      '--owner-first-name',
      'Mia',
      '--owner-last-name',
      'Tran',
      '--owner-email',
      'mia@example.com',
    ];
    const place = ['--name', 'Torrens Plumbing', '--country', 'AU', '--time-zone', timeZone];
    const founded = await this.#operator('organization', 'create', ...place, ...owner);
    const { organization, ownerId, token } = founded as Record<'organization' | 'ownerId' | 'token', string>;
    this.#code = organization;
    this.#ownerId = ownerId;
    return token;
  }

  /** Has the operator issue a further token, for forms of these sites where it is for forms. */
  async issueToken(name: string, scopes: readonly Scope[], sites: readonly string[] = []): Promise<string> {
    const given = ['--organization', this.#code, '--name', name, '--scopes', scopes.join()];
    if (sites.length > 0) given.push('--sites', sites.join());
    return ((await this.#operator('token', 'issue', ...given)) as { token: string }).token;
  }

  /** Has the operator give it its number for texts. */
  async getsItsNumber(): Promise<void> {
    const added = await this.#operator('number', 'add', '--organization', this.#code, '--number', ownNumber);
    expect(added).toMatchObject({ number: ownNumber, isNew: true, toSwitchOn: [] });
  }

  get ownerId(): string {
    return this.#ownerId;
  }

  /** `scopes`: what the token may do. */
  clientWith(token: string, scopes: readonly Scope[]): ApiClient {
    return new ApiClient(this.#baseUrl, token, scopes);
  }

  /** Sends a request to the business's own address. */
  request(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}`, { ...init, redirect: 'manual' });
  }

  /** The texts that went out to a number, the oldest first. */
  sentTo(number: string): SentSms[] {
    return this.#sent.filter(({ to }) => to === number);
  }

  /** Does what the provider tells of so many times, and waits until all of it is stored. */
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

  /** Lets time pass until the clock on the wall shows this. @throws Error where that is over */
  async at(day: Day, time: string): Promise<void> {
    const from = this.#clock.now();
    const to = timeOf(day, time);
    if (to < from) throw new Error(`It is later than ${day} ${time}`);
    const roundsBy = (moment: number) => Math.floor((moment - this.#startedAt) / rhythm);
    const ran = new Promise<void>((resolve) => (this.#ran = resolve));
    this.#clock.moveBy(to - from);
    // The worker runs once for all the rounds that were missed. One still under way would be out of time at the next move.
    if (roundsBy(to) > roundsBy(from)) await ran;
  }

  /** All that `organization verify` prints, as JSON. @throws Error where it found anything */
  async verify(): Promise<unknown> {
    return this.#operator('organization', 'verify', '--organization', this.#code);
  }

  /** Has the operator import a CSV file. What became of its lines. */
  async imports(
    csv: string,
  ): Promise<{ created: { id: string }[]; alreadyThere: { line: number; id: string }[] }> {
    const file = join(this.#folder, 'leads.csv');
    writeFileSync(file, csv);
    const report = await this.#operator('leads', 'import', file, '--organization', this.#code);
    return report as Awaited<ReturnType<Business['imports']>>;
  }

  /** Has the operator copy all of it, found another organization of the copy, and verify that. Tells the token of the other. */
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
    this.#server?.close();
    this.#server?.closeAllConnections();
    await this.#machine?.close();
    this.#data.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The names of a story for ids. */
class Names {
  readonly #ids = new Map<string, string>();

  /** Names an id; one that has the name already must be the same. */
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

  /** What an id is called, if anything. */
  of(id: string): string | undefined {
    for (const [name, other] of this.#ids) if (other === id) return name;
    return undefined;
  }
}
