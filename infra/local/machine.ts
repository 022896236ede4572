import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { CallerTurns } from './caller-turns.ts';
import { MachineClock } from './clock.ts';
import { clientOf, startEngine, type Engine } from './engine.ts';
import { Environments } from './environments.ts';
import { FunctionHost, isThrottled } from './function-host.ts';
import type { Outcome } from './function-messages.ts';
import { variablesOf } from './function-variables.ts';
import { Gateway, type WireAnswer, type WireRequest } from './gateway.ts';
import { LocalError } from './local-error.ts';
import { startRoleGuard, type RoleGuard } from './role-guard.ts';
import { isAllowed, type NoteAsked, type Statement } from './role.ts';
import { Schedules, type WorkerRun } from './schedules.ts';
import { startSmsStandIn, type SentText, type SmsStandIn } from './sms-stand-in.ts';
import { sourcesVersion, synthesize, type Settings } from './synthesize.ts';
import { ensureTable } from './tables.ts';
import type { Template } from './template.ts';
import type { AlarmState } from './watch/alarm-states.ts';
import { Watch, type WatchOptions } from './watch/watch.ts';

export interface MachineOptions extends WatchOptions {
  /** Where the synthesized template and the bundles go. */
  assembly: string;
  /** The database's file; in memory when not given. */
  database?: string;
  /** Settings in the place of the stage's own. */
  settings?: Settings | undefined;
  /** Whether a changed source file takes effect on the next request. */
  watch: boolean;
  /** Is given every text message that a function sent. */
  keepText: (message: SentText) => void;
  /** Is given every run of a worker. */
  noteRun?: (run: WorkerRun) => void;
  /** Is told every permission that a function needs, and whether it has it. */
  noteAsked?: NoteAsked;
  /** How many invocations of one caller run at once while others ask too: see `CallerTurns`. */
  share?: number;
  /** The clock of schedules and functions; the computer's by default. */
  clock?: MachineClock;
  /** Aborts a running synthesis, which is a process of its own. */
  givenUp?: AbortSignal;
}

/** One template, running: its functions by name, and its API before them. */
interface Running {
  template: Template;
  hosts: Map<string, FunctionHost>;
  gateway: Gateway;
}

/**
 * The synthesized template, running: its table in an engine, its functions in threads, its API answering requests, its
 * schedules calling workers.
 */
export class Machine {
  readonly engine: Engine;
  readonly client: DynamoDBClient;
  readonly #options: MachineOptions;
  readonly #guard: RoleGuard;
  readonly #sms: SmsStandIn;
  readonly #environments: Environments;
  readonly #clock: MachineClock;
  readonly #schedules: Schedules;
  readonly #watch: Watch;
  #running: Running;
  /** The version of the sources that is running, or that does not run. */
  #version: string;
  /** Why the current sources do not run. */
  #broken: Error | undefined;
  #reloading: Promise<void> | undefined;

  private constructor(
    options: MachineOptions,
    engine: Engine,
    { guard, sms, environments }: { guard: RoleGuard; sms: SmsStandIn; environments: Environments },
    template: Template,
    version: string,
  ) {
    this.#options = options;
    this.engine = engine;
    this.client = clientOf(engine);
    this.#guard = guard;
    this.#sms = sms;
    this.#environments = environments;
    const { clock = new MachineClock(), noteRun = () => undefined, noteAsked = () => undefined } = options;
    this.#clock = clock;
    this.#watch = new Watch(template.watched, clock, options);
    this.#schedules = new Schedules(
      clock,
      (name, event) => this.#invokeWorker(name, event),
      noteRun,
      (name, resource) =>
        isAllowed(
          name,
          { action: 'sqs:SendMessage', resource },
          { roleOf: (one) => this.#roleOf(one), noteAsked },
        ),
      (letter) => {
        this.#watch.keepLetter(letter);
      },
    );
    this.#running = this.#run(template);
    this.#version = version;
  }

  /** @throws LocalError when a function does not build, or there is no database engine. */
  static async start(options: MachineOptions): Promise<Machine> {
    // Removes what earlier starts left. Later this is not safe: functions load chunks on demand.
    const { assembly, settings, givenUp } = options;
    rmSync(assembly, { recursive: true, force: true });
    const version = sourcesVersion();
    // Without an engine there is nothing to wait for.
    const noEngine = new AbortController();
    const signal = AbortSignal.any([noEngine.signal, ...(givenUp ? [givenUp] : [])]);
    const starting = Promise.allSettled([
      startEngine(options.database).catch((error: unknown) => {
        noEngine.abort();
        throw error;
      }),
      synthesize(assembly, { settings, signal }),
    ] as const);
    // In parallel: the synthesis is a process of its own.
    const environments = new Environments();
    const [engine, template] = await starting;
    if (engine.status === 'rejected') throw engine.reason;
    if (template.status === 'rejected') {
      await engine.value.close();
      throw template.reason;
    }
    const roleOf = (name: string) => machine.#roleOf(name);
    const guard = await startRoleGuard(engine.value.endpoint, roleOf, options.noteAsked);
    const sms = await startSmsStandIn(roleOf, options.keepText, options.noteAsked);
    const machine = new Machine(options, engine.value, { guard, sms, environments }, template.value, version);
    await machine.#ensureTables(template.value);
    return machine;
  }

  /** The table's name in the engine. */
  get tableName(): string {
    return this.#running.template.tables[0]?.name ?? '';
  }

  /** What runs on a schedule, and how often: such as `5 minutes`. */
  get workers(): { description: string; every: string }[] {
    const { template, hosts } = this.#running;
    return template.schedules.map(({ functionName, every }) => ({
      description: hosts.get(functionName)?.definition.description ?? functionName,
      every: every.text,
    }));
  }

  /** How the template's alarms stood at the last full minute. */
  get alarms(): AlarmState[] {
    return this.#watch.alarms;
  }

  /** @throws LocalError when the sources were changed to something that does not run. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    return (await this.#current()).gateway.answer(request);
  }

  /** Ends everything that this machine started. */
  async close(): Promise<void> {
    this.#schedules.stop();
    this.client.destroy();
    await Promise.all([...this.#running.hosts.values()].map((host) => host.close()));
    this.#watch.stop();
    await this.#guard.close();
    await this.#sms.close();
    await this.engine.close();
  }

  /** The current version of the sources. @throws LocalError if it does not run */
  async #current(): Promise<Running> {
    if (this.#options.watch) await this.#reloadIfChanged();
    if (this.#broken) throw this.#broken;
    return this.#running;
  }

  #roleOf(functionName: string): readonly Statement[] {
    return this.#running.hosts.get(functionName)?.definition.role ?? [];
  }

  async #invokeWorker(name: string, event: unknown): Promise<Outcome | undefined> {
    const host = (await this.#current()).hosts.get(name);
    return host && this.#invoke(host, event);
  }

  async #invoke(host: FunctionHost, event: unknown): Promise<Outcome> {
    const at = this.#clock.now();
    const startedAt = performance.now();
    const outcome = await host.invoke(event);
    const milliseconds = performance.now() - startedAt;
    // Lambda counts throttles apart.
    if (!isThrottled(outcome)) this.#watch.invoked(host.definition.name, outcome, { at, milliseconds });
    return outcome;
  }

  async #reloadIfChanged(): Promise<void> {
    while (this.#reloading) await this.#reloading;
    const version = sourcesVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#reloading = this.#reload().finally(() => (this.#reloading = undefined));
    await this.#reloading;
  }

  async #reload(): Promise<void> {
    try {
      const { assembly, settings, givenUp } = this.#options;
      const template = await synthesize(assembly, { settings, signal: givenUp });
      await this.#ensureTables(template);
      this.#running = this.#run(template, this.#running.hosts);
      this.#broken = undefined;
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
    }
  }

  async #ensureTables({ tables }: Template): Promise<void> {
    for (const table of tables) await ensureTable(this.client, table, this.engine);
  }

  /** Runs a template. Unchanged functions keep running; changed ones finish what they have begun. */
  #run(template: Template, before = new Map<string, FunctionHost>()): Running {
    const endpoints = { dynamodb: this.#guard.endpoint, sms: this.#sms.endpoint };
    const hosts = new Map(
      template.functions.map((definition) => {
        const known = before.get(definition.name);
        const host = isDeepStrictEqual(known?.definition, definition) ? known : undefined;
        return [
          definition.name,
          host ??
            new FunctionHost(definition, this.#environments, variablesOf(definition, endpoints), this.#clock),
        ];
      }),
    );
    for (const [name, host] of before) if (hosts.get(name) !== host) void host.retire();
    const invoke = (name: string, event: unknown) => {
      const host = hosts.get(name);
      if (!host) throw new LocalError(`The template routes to ${name}, a function that it does not define`);
      return this.#invoke(host, event);
    };
    const gateway = new Gateway(
      template,
      invoke,
      () => this.#clock.now(),
      (access) => {
        this.#watch.accessed(access);
      },
      new CallerTurns(this.#options.share),
    );
    this.#watch.keep(template.watched);
    this.#schedules.keep(template.schedules);
    return { template, hosts, gateway };
  }
}
