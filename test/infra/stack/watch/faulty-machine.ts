import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, vi } from 'vitest';
import { ensureAssembly } from '../../../../infra/local/assembly.ts';
import { MachineClock } from '../../../../infra/local/clock.ts';
import { temporaryFolder } from '../../../../infra/local/data-folder.ts';
import { startEngine, type Engine } from '../../../../infra/local/engine.ts';
import { Machine } from '../../../../infra/local/machine.ts';
import {
  type EngineProxy,
  type Refusal,
  startEngineProxy,
} from '../../../../infra/local/proxies/engine-proxy.ts';
import type { WorkerRun } from '../../../../infra/local/workers/worker-run.ts';
import { receiveTextsWorker, resolveSendingWorker } from '../../../../shared/contract/sms.ts';
import { breakable, type Breakable } from '../../../support/machine/breakable.ts';
import { loggingInto, runLogIn } from '../../../support/machine/run-log.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { Alarms } from '../../../support/metrics/alarms.ts';
import type { Resources } from '../../../support/metrics/named-metrics.ts';
import { foundOrganizationAt, type StoredOrganization } from '../../../support/stored-organization.ts';

export const second = 1000;
export const minute = 60 * second;

/** More than any test lasts by the machine's clock. */
export const hoursWithoutTraffic = 3;

/** Name of the scheduled worker's function. */
const worker = 'SalesPipeline-dev-ResolveSending';
const textsFunction = 'SalesPipeline-dev-ReceiveTexts';
const template = 'SalesPipeline-dev.template.json';

const isOfSweeper = (name: string) => name.startsWith('SweepWebhooks');
/** True for alarms whose metrics this machine has. customers.test.ts raises the alarms about polls and topics. */
const isObserved = (name: string) => !isOfSweeper(name) && !/Unread$|^LostTexts$/.test(name);

/** Waits for callbacks that are due, also of a run that has to start an environment first. */
async function callbacks(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A machine with faults, and its alarms. The tests move the clock of the machine, so that an hour passes at once, also
 * for a function that runs.
 */
export class FaultyMachine {
  readonly clock = new MachineClock();
  ours!: StoredOrganization;
  theirs!: StoredOrganization;
  alarms!: Alarms;
  /** Alarms that changed in the current test, such as `ServerErrors ALARM`. */
  changes: string[] = [];
  /** Returns the refusal that a call of DynamoDB gets, if any. */
  onCall: (body: string) => Refusal | undefined = () => undefined;
  /** False while the access log receives no lines. */
  hasAccessLog = true;
  /** Number of the scheduled worker's runs that failed. */
  failedRuns = 0;
  /** Number of events of the worker's schedule that ended. */
  #eventsDone = 0;
  /** Number of runs of other workers, by the name of the worker, or of its function if it wrote no line. */
  readonly #otherRuns = new Map<string, number>();
  #nextRun = Promise.withResolvers<unknown>();
  readonly #raised = new Set<string>();
  readonly #folder = temporaryFolder();
  readonly #assembly = newFolder();
  #engine!: Engine;
  #proxy!: EngineProxy;
  #machine!: Machine;
  /**
   * Time just before the schedules begin. So a run is never under way before it is waited for. Otherwise the run would
   * time out as the clock moves, and its next try would wait for a clock that waits for it.
   */
  #startedAt = 0;

  async start(): Promise<void> {
    // This machine needs its own database: the clock moves by hours here, and the worker would settle messages
    // that other files' tests are sending.
    vi.stubEnv('DYNAMODB_ENDPOINT', '');
    this.#engine = await startEngine();
    const { endpoint } = this.#engine;
    this.#proxy = await startEngineProxy(endpoint, (_, body) => this.onCall(body.toString()));
    vi.stubEnv('DYNAMODB_ENDPOINT', this.#proxy.endpoint);
    const recorders = loggingInto(runLogIn(inject('runLog')));
    await this.#assembleWithoutSweeper();
    this.#startedAt = this.clock.now();
    this.#machine = await Machine.start({
      ...this.#folder,
      assembly: this.#assembly,
      watch: false,
      clock: this.clock,
      keepSms: () => undefined,
      // Each report would start another worker, which would time out when the clock is moved.
      reportsDelivery: false,
      ...recorders,
      onLogLine: (group, line) => {
        recorders.onLogLine(group, line);
        if (this.hasAccessLog || group !== 'access') this.alarms.onLogLine(group, line);
      },
      onRun: (run) => {
        this.#count(run);
        const { resolve } = this.#nextRun;
        this.#nextRun = Promise.withResolvers();
        resolve(undefined);
      },
    });
    vi.unstubAllEnvs();
    this.alarms = this.#alarmsOf(this.clock, this.#folder.logs);
    const table = { endpoint, tableName: this.#machine.tableName };
    this.ours = await foundOrganizationAt(table);
    this.theirs = await foundOrganizationAt(table, { country: 'NZ' });
  }

  async close(): Promise<void> {
    this.alarms.stop();
    await this.#machine.close();
    await this.#proxy.close();
    await this.#engine.close();
    this.#folder.release();
  }

  /** Ends all faults of DynamoDB and all alarms, before a test. */
  async rest(): Promise<void> {
    this.onCall = () => undefined;
    // After a failed test, waits until its alarms are over.
    for (let passed = 0; this.alarms.firing.size > 0 && passed < 200; passed++) await this.pass(1);
    expect(await this.listLeads()).toBe(200);
    // By then the authorizer has forgotten its answers.
    await this.pass(2);
    this.changes = [];
  }

  /** Lets a test break and mend a function. @param description the beginning of the function's description */
  breakable(description: string): Breakable {
    return breakable(this.#assembly, description);
  }

  async send(method: string, target: string, body?: object, { token } = this.ours): Promise<number> {
    const headers: [string, string][] = [
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
    ];
    const bytes = Buffer.from(body ? JSON.stringify(body) : '');
    const { status } = await this.#machine.answer({ method, target, headers, body: bytes, sourceIp: '::1' });
    this.alarms.onAnswer(status);
    return status;
  }

  newLead(as = this.ours): Promise<number> {
    return this.send('POST', '/v1/leads', { firstName: 'Ann' }, as);
  }

  listLeads(): Promise<number> {
    return this.send('GET', '/v1/leads');
  }

  /** Receives an SMS from the provider. */
  async receiveText(fields: Record<string, string>): Promise<void> {
    const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
    const body = Buffer.from(new URLSearchParams(fields).toString());
    const request = { method: 'POST', target: '/local/texts', headers, body, sourceIp: '::1' };
    expect((await this.#machine.answer(request)).status).toBe(202);
  }

  /** Lets minutes pass. `waits`: also for the runs of the worker that are due. */
  async pass(minutes: number, { waits = true } = {}): Promise<void> {
    // A run under way would time out when a minute passes at once.
    if (waits) await this.#runsUntilNow();
    for (let passed = 0; passed < minutes; passed++) {
      this.clock.moveBy(minute);
      await callbacks();
      if (waits) await this.#runsUntilNow();
    }
  }

  /** Waits until nothing is due. */
  async settle(): Promise<void> {
    await callbacks();
    await this.#runsUntilNow();
  }

  /** Moves the clock to a full minute, when a period of the alarms begins. */
  async passToFullMinute(): Promise<void> {
    this.clock.moveBy(minute - (this.clock.now() % minute));
    await this.settle();
  }

  /** Lets time pass until just after a run of the scheduled worker, so that the next one is five minutes away. */
  async passRun(): Promise<void> {
    for (const before = this.#eventsDone; this.#eventsDone === before;) await this.pass(1);
  }

  /** Waits until so many runs of the scheduled worker have failed. */
  failuresUntil(count: number): Promise<void> {
    return this.#until(() => this.failedRuns >= count);
  }

  /** Number of runs of another worker, by its name, or by the beginning of its function's name if it failed. */
  runsOf(name: string): number {
    return [...this.#otherRuns].reduce((sum, [one, runs]) => sum + (one.startsWith(name) ? runs : 0), 0);
  }

  runsUntil(name: string, count: number): Promise<void> {
    return this.#until(() => this.runsOf(name) >= count);
  }

  /** Lets calls pass again. Expects that this alarm, and no other, is raised within a minute. */
  async expectRaised(alarm: string): Promise<void> {
    this.onCall = () => undefined;
    await this.pass(1);
    expect(this.changes).toEqual([`${alarm} ALARM`]);
  }

  /** Same, and that the alarm ends within twenty minutes. */
  async expectAlarm(alarm: string): Promise<void> {
    await this.expectRaised(alarm);
    await this.expectEnd(20);
  }

  /** Expects that the alarm ends within so many minutes. */
  async expectEnd(minutes: number): Promise<void> {
    const before = [...this.changes];
    const after = [...before, before.at(-1)!.replace('ALARM', 'OK')];
    for (let passed = 0; passed < minutes && this.changes.length === before.length; passed++)
      await this.pass(1);
    expect(this.changes).toEqual(after);
    // Leaves nothing of the fault to the next test.
    await this.pass(15);
    expect(this.changes).toEqual(after);
  }

  /** Alarms of workers, or all others, that no test has raised. */
  notRaised(ofWorkers: boolean): string[] {
    return this.alarms.names.filter(
      (name) => !this.#raised.has(name) && isOfWorkers.test(name) === ofWorkers,
    );
  }

  /** Lines of a group of logs. */
  logged(group: string): string[] {
    return readFileSync(join(this.#folder.logs, `${group}.log`), 'utf8')
      .trimEnd()
      .split('\n');
  }

  /** Empties the queue of dead letters. */
  emptyLetters(): void {
    rmSync(join(this.#folder.logs, 'dead-letters'), { recursive: true });
  }

  /** Evaluates the alarms on the metrics of another machine, which does nothing by itself. */
  idle(queueAge: () => number = () => 0, observes: (name: string) => boolean = (name) => !isOfSweeper(name)) {
    const clock = new MachineClock();
    const folder = temporaryFolder();
    const alarms = this.#alarmsOf(clock, folder.logs, { queueAge, isObserved: observes });
    return {
      alarms,
      pass: async (minutes: number, perMinute: () => void = () => undefined) => {
        for (let passed = 0; passed < minutes; passed++) {
          perMinute();
          clock.moveBy(minute);
          await callbacks();
        }
      },
      end: () => {
        alarms.stop();
        folder.release();
      },
      now: () => clock.now(),
    };
  }

  #alarmsOf(
    clock: MachineClock,
    logs: string,
    more: { queueAge?: () => number; isObserved?: typeof isObserved } = {},
  ) {
    const { Resources: resources } = this.#template();
    const onChange = (change: string) => {
      this.changes.push(change);
      const [name = '', state] = change.split(' ');
      if (state === 'ALARM') this.#raised.add(name);
    };
    return new Alarms(resources, { clock, logs, worker, onChange, isObserved, ...more });
  }

  #template() {
    const text = readFileSync(join(this.#assembly, template), 'utf8');
    return JSON.parse(text) as { Resources: Resources };
  }

  /**
   * Copies the stack that has every alarm, with links to what no test changes. Leaves out the sweeper's
   * schedule, because its runs would end by their time limit each time a minute passes at once.
   */
  async #assembleWithoutSweeper(): Promise<void> {
    const settings = { webAcl: 'own', alarmAfterHoursWithoutTraffic: String(hoursWithoutTraffic) };
    const shared = await ensureAssembly({ settings });
    for (const file of globSync(['*.json', 'functions/*/index.mjs'], { cwd: shared }))
      cpSync(join(shared, file), join(this.#assembly, file));
    for (const part of globSync('functions/*/*', { cwd: shared, exclude: ['**/index.mjs', '**/maps'] }))
      symlinkSync(join(shared, part), join(this.#assembly, part));
    const { Resources: resources, ...rest } = this.#template();
    const others = Object.entries(resources).filter(
      ([id, { Type }]) => !isOfSweeper(id) || Type !== 'AWS::Events::Rule',
    );
    writeFileSync(
      join(this.#assembly, template),
      JSON.stringify({ ...rest, Resources: Object.fromEntries(others) }),
    );
  }

  #count({ name, failed }: WorkerRun): void {
    if (name === resolveSendingWorker.name || name.startsWith('ResolveSending')) {
      this.alarms.onRun({ failed });
      if (failed !== 'is tried again') this.#eventsDone++;
      if (failed) this.failedRuns++;
      return;
    }
    this.#otherRuns.set(name, (this.#otherRuns.get(name) ?? 0) + 1);
    if (name.startsWith('ReceiveTexts') || name === receiveTextsWorker.name)
      this.alarms.add('AWS/Lambda', 'Errors', { FunctionName: textsFunction }, Number(failed !== undefined));
  }

  /** Waits until something holds that runs change. */
  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#nextRun.promise;
  }

  /** Waits until the worker has made all runs that are due by now. */
  #runsUntilNow(): Promise<void> {
    const due = Math.floor((this.clock.now() - this.#startedAt) / (5 * minute));
    return this.#until(() => this.#eventsDone >= due);
  }
}

/** Names of alarms that faults of workers raise. */
const isOfWorkers = /^(ResolveSending|ReceiveTexts|LeadsFail$)|Webhooks/;
