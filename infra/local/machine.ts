import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { MachineClock } from './clock.ts';
import { clientOf, localCredentials, startEngine, type Engine } from './engine.ts';
import { Environments } from './environments.ts';
import { FunctionHost } from './function-host.ts';
import type { Outcome } from './function-messages.ts';
import { Gateway, type WireAnswer, type WireRequest } from './gateway.ts';
import { region } from './intrinsics.ts';
import { LocalError } from './local-error.ts';
import { startRoleGuard, type RoleGuard } from './role-guard.ts';
import { isAllowed, type NoteAsked, type Statement } from './role.ts';
import { Schedules, type WorkerRun } from './schedules.ts';
import { startSmsStandIn, type SentText, type SmsStandIn } from './sms-stand-in.ts';
import { sourcesVersion, synthesize } from './synthesize.ts';
import { ensureTable } from './tables.ts';
import type { LocalFunction, Template } from './template.ts';

export interface MachineOptions {
  /** Where the synthesized template and the bundles go. */
  assembly: string;
  /** The database's file; in memory when not given. */
  database?: string;
  /** Whether a changed source file takes effect on the next request. */
  watch: boolean;
  /** Is given every text message that a function sent. */
  keepText: (message: SentText) => void;
  /** Is given every run of a worker. */
  noteRun?: (run: WorkerRun) => void;
  /** Is told every permission that a function needs, and whether it has it. */
  noteAsked?: NoteAsked;
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
    );
    this.#running = this.#run(template);
    this.#version = version;
  }

  /** @throws LocalError when a function does not build, or there is no database engine. */
  static async start(options: MachineOptions): Promise<Machine> {
    // Removes what earlier starts left. Later this is not safe: functions load chunks on demand.
    rmSync(options.assembly, { recursive: true, force: true });
    const version = sourcesVersion();
    const { givenUp } = options;
    // Without an engine there is nothing to wait for.
    const noEngine = new AbortController();
    const starting = Promise.allSettled([
      startEngine(options.database).catch((error: unknown) => {
        noEngine.abort();
        throw error;
      }),
      synthesize(options.assembly, AbortSignal.any([noEngine.signal, ...(givenUp ? [givenUp] : [])])),
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

  /** @throws LocalError when the sources were changed to something that does not run. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    return (await this.#current()).gateway.answer(request);
  }

  /** Ends everything that this machine started. */
  async close(): Promise<void> {
    this.#schedules.stop();
    this.client.destroy();
    await Promise.all([...this.#running.hosts.values()].map((host) => host.close()));
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
    return (await this.#current()).hosts.get(name)?.invoke(event);
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
      const template = await synthesize(this.#options.assembly, this.#options.givenUp);
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
    const hosts = new Map(
      template.functions.map((definition) => {
        const known = before.get(definition.name);
        const host = isDeepStrictEqual(known?.definition, definition) ? known : undefined;
        return [
          definition.name,
          host ??
            new FunctionHost(definition, this.#environments, this.#variablesOf(definition), this.#clock),
        ];
      }),
    );
    for (const [name, host] of before) if (hosts.get(name) !== host) void host.retire();
    const invoke = (name: string, event: unknown) => {
      const host = hosts.get(name);
      if (!host) throw new LocalError(`The template routes to ${name}, a function that it does not define`);
      return host.invoke(event);
    };
    const gateway = new Gateway(template, invoke, () => this.#clock.now());
    this.#schedules.keep(template.schedules);
    return { template, hosts, gateway };
  }

  /** The environment variables that Lambda sets, and the endpoints of this machine's services. */
  #variablesOf({ name, folder, handler, memorySize }: LocalFunction): Record<string, string> {
    return {
      ...localCredentials,
      // The access key id is the function's name, by which its role is found.
      AWS_ACCESS_KEY_ID: name,
      AWS_REGION: region,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_ENDPOINT_URL_DYNAMODB: this.#guard.endpoint,
      AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: this.#sms.endpoint,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: handler,
      TZ: ':UTC',
    };
  }
}
