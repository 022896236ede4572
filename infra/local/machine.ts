import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientOf, localCredentials, startEngine, type Engine } from './engine.ts';
import { FunctionHost } from './function-host.ts';
import type { Outcome } from './function-messages.ts';
import { Gateway, type WireAnswer, type WireRequest } from './gateway.ts';
import { region } from './intrinsics.ts';
import { startRoleGuard, type RoleGuard } from './role-guard.ts';
import { LocalError } from './local-error.ts';
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
}

/** The synthesized template, running: its table in an engine, its functions in threads, its API answering requests. */
export class Machine {
  readonly engine: Engine;
  readonly client: DynamoDBClient;
  readonly #options: MachineOptions;
  readonly #hosts = new Map<string, FunctionHost>();
  readonly #guard: RoleGuard;
  #template: Template;
  #gateway: Gateway;
  #version: string;
  /** Why the sources, as they are now, do not run. */
  #broken: LocalError | undefined;
  #reloading: Promise<void> | undefined;

  private constructor(
    options: MachineOptions,
    engine: Engine,
    guard: RoleGuard,
    template: Template,
    version: string,
  ) {
    this.#options = options;
    this.engine = engine;
    this.#guard = guard;
    this.client = clientOf(engine);
    this.#template = template;
    this.#gateway = this.#newGateway(template);
    this.#version = version;
  }

  /** @throws LocalError when a function does not build, or there is no database engine. */
  static async start(options: MachineOptions): Promise<Machine> {
    const version = sourcesVersion();
    const [engine, template] = await Promise.allSettled([
      startEngine(options.database),
      synthesize(options.assembly),
    ] as const);
    if (engine.status === 'rejected') throw engine.reason;
    if (template.status === 'rejected') {
      await engine.value.close();
      throw template.reason;
    }
    const roleOf = (name: string) => machine.#template.functions.find((one) => one.name === name)?.role ?? [];
    const guard = await startRoleGuard(engine.value.endpoint, roleOf);
    const machine = new Machine(options, engine.value, guard, template.value, version);
    await machine.#ensureTables();
    return machine;
  }

  /** The table's name in the engine. */
  get tableName(): string {
    return this.#template.tables[0]?.name ?? '';
  }

  /** @throws LocalError when the sources were changed to something that does not run. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    if (this.#options.watch) await this.#reloadIfChanged();
    if (this.#broken) throw this.#broken;
    return this.#gateway.answer(request);
  }

  /** Ends everything that this machine started. */
  async close(): Promise<void> {
    this.client.destroy();
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
    await this.#guard.close();
    await this.engine.close();
  }

  async #reloadIfChanged(): Promise<void> {
    await this.#reloading;
    const version = sourcesVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#reloading = this.#reload().finally(() => (this.#reloading = undefined));
    await this.#reloading;
  }

  async #reload(): Promise<void> {
    try {
      this.#template = await synthesize(this.#options.assembly);
      this.#gateway = this.#newGateway(this.#template);
      this.#broken = undefined;
      await this.#ensureTables();
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      this.#broken = error;
    }
  }

  async #ensureTables(): Promise<void> {
    for (const table of this.#template.tables) await ensureTable(this.client, table);
  }

  #newGateway(template: Template): Gateway {
    const functions = new Map(template.functions.map((definition) => [definition.name, definition]));
    return new Gateway(template, (name, event) => this.#invoke(functions.get(name), event));
  }

  async #invoke(definition: LocalFunction | undefined, event: unknown): Promise<Outcome> {
    if (!definition) throw new LocalError('The template routes to a function that it does not define');
    let host = this.#hosts.get(definition.name);
    if (host?.definition.folder !== definition.folder) {
      // What the old code is still answering, it may answer.
      void host?.retire();
      host = new FunctionHost(definition, environmentOf(definition, this.#guard));
      this.#hosts.set(definition.name, host);
    }
    return host.invoke(event);
  }
}

/** What Lambda itself puts into a function's environment, and where the SDK finds this machine's DynamoDB. */
function environmentOf({ name, folder, handler, memorySize }: LocalFunction, { endpoint }: RoleGuard) {
  return {
    // The function's name stands for the credentials of its role.
    ...localCredentials,
    AWS_ACCESS_KEY_ID: name,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    TZ: ':UTC',
  };
}
