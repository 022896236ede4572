import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { clientOf, localCredentials, startEngine, type Engine } from './engine.ts';
import { Environments } from './environments.ts';
import { FunctionHost } from './function-host.ts';
import { Gateway, type WireAnswer, type WireRequest } from './gateway.ts';
import { region } from './intrinsics.ts';
import { LocalError } from './local-error.ts';
import { startRoleGuard, type RoleGuard } from './role-guard.ts';
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
  /** Ends a synthesis that is under way, which would go on without this process. */
  givenUp?: AbortSignal;
}

/** One template, running: its functions by name, and its API before them. */
interface Running {
  template: Template;
  hosts: Map<string, FunctionHost>;
  gateway: Gateway;
}

/** The synthesized template, running: its table in an engine, its functions in threads, its API answering requests. */
export class Machine {
  readonly engine: Engine;
  readonly client: DynamoDBClient;
  readonly #options: MachineOptions;
  readonly #guard: RoleGuard;
  readonly #sms: SmsStandIn;
  readonly #environments: Environments;
  #running: Running;
  /** The version of the sources that is running, or that does not run. */
  #version: string;
  /** Why the sources, as they are now, do not run. */
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
    this.#running = this.#run(template);
    this.#version = version;
  }

  /** @throws LocalError when a function does not build, or there is no database engine. */
  static async start(options: MachineOptions): Promise<Machine> {
    // What earlier starts left there; later, functions may still load parts of their bundles.
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
    // Meanwhile: the synthesis is in a process of its own.
    const environments = new Environments();
    const [engine, template] = await starting;
    if (engine.status === 'rejected') throw engine.reason;
    if (template.status === 'rejected') {
      await engine.value.close();
      throw template.reason;
    }
    const roleOf = (name: string) => machine.#running.hosts.get(name)?.definition.role ?? [];
    const guard = await startRoleGuard(engine.value.endpoint, roleOf);
    const sms = await startSmsStandIn(roleOf, options.keepText);
    const machine = new Machine(options, engine.value, { guard, sms, environments }, template.value, version);
    await machine.#ensureTables(template.value);
    return machine;
  }

  /** The table's name in the engine. */
  get tableName(): string {
    return this.#running.template.tables[0]?.name ?? '';
  }

  /** @throws LocalError when the sources were changed to something that does not run. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    if (this.#options.watch) await this.#reloadIfChanged();
    if (this.#broken) throw this.#broken;
    return this.#running.gateway.answer(request);
  }

  /** Ends everything that this machine started. */
  async close(): Promise<void> {
    this.client.destroy();
    await Promise.all([...this.#running.hosts.values()].map((host) => host.close()));
    await this.#guard.close();
    await this.#sms.close();
    await this.engine.close();
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

  /** Runs a template. Functions that are as they were before go on; of the others, what is begun may end. */
  #run(template: Template, before = new Map<string, FunctionHost>()): Running {
    const hosts = new Map(
      template.functions.map((definition) => {
        const known = before.get(definition.name);
        const host = isDeepStrictEqual(known?.definition, definition) ? known : undefined;
        return [
          definition.name,
          host ?? new FunctionHost(definition, this.#environments, this.#variablesOf(definition)),
        ];
      }),
    );
    for (const [name, host] of before) if (hosts.get(name) !== host) void host.retire();
    const gateway = new Gateway(template, (name, event) => {
      const host = hosts.get(name);
      if (!host) throw new LocalError(`The template routes to ${name}, a function that it does not define`);
      return host.invoke(event);
    });
    return { template, hosts, gateway };
  }

  /** What Lambda itself puts into a function's environment, and where the SDK finds this machine's services. */
  #variablesOf({ name, folder, handler, memorySize }: LocalFunction): Record<string, string> {
    return {
      ...localCredentials,
      // The function's name stands for the credentials of its role.
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
