import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { realSystem } from '../../shared/core/system.ts';
import { openStore } from '../../shared/ledger/index.ts';
import { topicArnOf } from './arns.ts';
import { ensureAssembly } from './assembly.ts';
import { MachineClock } from './clock.ts';
import { clientOf, startEngine, type Engine } from './engine.ts';
import { Environments, variablesOf } from './functions/environments.ts';
import { Erasures } from './erasure/erasures.ts';
import { FunctionHost } from './functions/function-host.ts';
import { type LambdaStandIn, startLambdaStandIn } from './functions/lambda-stand-in.ts';
import type { Outcome } from './functions/function-messages.ts';
import { Gateway } from './gateway/gateway.ts';
import type { HttpRequest, HttpResponse } from './gateway/http-message.ts';
import { KeyFile } from './keys/key-file.ts';
import { type KmsStandIn, startKmsStandIn } from './keys/kms-stand-in.ts';
import { LocalError } from './local-error.ts';
import { DeadLetters } from './workers/dead-letters.ts';
import { functionLines, Logs, type OnLogLine } from './logs.ts';
import { answerLocally, isLocalRequest } from './messaging/local-requests.ts';
import { MessageService } from './messaging/message-service.ts';
import { type RoleGuard, startRoleGuard } from './proxies/engine-proxy.ts';
import { type OnPermissionCheck, Permissions } from './role.ts';
import { Schedules } from './workers/schedules.ts';
import { type SmsAtProvider, type SmsStandIn, startSmsStandIn } from './messaging/sms-stand-in.ts';
import { type SqsStandIn, startSqsStandIn } from './messaging/sqs-stand-in.ts';
import { TableStreams } from './streams/table-streams.ts';
import { SourceChanges, sourcesVersion } from './source-changes.ts';
import type { Settings } from './synthesize.ts';
import { ensureTable } from './tables.ts';
import { type LocalFunction, readTemplate, type Template } from './template/template.ts';
import type { WorkerDependencies, WorkerRun } from './workers/worker-run.ts';

/** Options of a machine's start. */
export interface MachineOptions {
  /** Folder of a synthesized template and its bundles. By default, they are made of the present sources. */
  assembly?: string;
  /** File of the database; in memory by default. */
  database?: string;
  /** Folder of the messages in queues; in memory by default. */
  queues?: string;
  /** File of the keys of secrets; in memory by default. */
  keys?: string;
  /** True if webhooks are sent to other computers, too. In tests they are sent to this computer alone. */
  reachesOthers?: boolean;
  /** Most idle functions that are kept in memory. */
  maxIdle?: number;
  /** Most environments of one function. */
  maxEach?: number;
  /** Settings that replace the stage's own. */
  settings?: Settings | undefined;
  /** True if a changed source file takes effect on the next request. */
  watch: boolean;
  /** File of the SMS sent. An erasure removes the person's SMS from it. */
  sentSmsFile: string;
  /** File of the phone numbers of leads that are being erased. */
  erasing: string;
  /** Folder of the logs, which each start writes anew. */
  logs: string;
  onLogLine?: OnLogLine;
  /** Receives every SMS that a function sends. */
  keepSms: (sms: SmsAtProvider) => void;
  /** True, the default, if the SMS provider reports deliveries. */
  reportsDelivery?: boolean;
  /** Receives every run of a worker. */
  onRun?: (run: WorkerRun) => void;
  /** Receives every permission that a function needs, and whether the function has it. */
  onPermissionCheck?: OnPermissionCheck;
  /**
   * True if roles must allow each call even if DynamoDB supplies `dynamodb:LeadingKeys` only where AWS documents it. By
   * default, DynamoDB supplies the key for each call.
   */
  mayLackLeadingKeys?: boolean;
  /**
   * Milliseconds that every function has. Replaces the function's limit and API Gateway's limit. A slow computer needs
   * more.
   */
  timeLimit?: number;
  /** Clock of schedules and functions; the computer's by default. */
  clock?: MachineClock;
  /** Aborts a running synthesis, which is a separate process. */
  givenUp?: AbortSignal;
  /** Receives each step of the start, as a sentence. */
  onStep?: (step: string) => void;
}

/** A running template: its functions by name, and its API. */
interface Running {
  template: Template;
  hosts: ReadonlyMap<string, FunctionHost>;
  gateway: Gateway;
}

/** Parts that are started before the machine itself. */
interface Started {
  permissions: Permissions;
  engine: Engine;
  guard: RoleGuard;
  sms: SmsStandIn;
  lambda: LambdaStandIn;
  sqs: SqsStandIn;
  kms: KmsStandIn;
  environments: Environments;
}

/**
 * Runs the synthesized template: its table in an engine, its functions in threads, its API, and its schedules,
 * streams and queues, which call workers.
 */
export class Machine {
  readonly client: DynamoDBClient;
  readonly #options: MachineOptions;
  readonly #started: Started;
  readonly #clock: MachineClock;
  readonly #logs: Logs;
  readonly #deadLetters: DeadLetters;
  readonly #schedules: Schedules;
  readonly #messages: MessageService;
  readonly #streams: TableStreams;
  readonly #erasures: Erasures;
  readonly #changes: SourceChanges;
  #running: Running;

  private constructor(options: MachineOptions, started: Started, template: Template, version: string) {
    const { clock = new MachineClock(), logs, onLogLine, queues } = options;
    this.#options = options;
    this.#started = started;
    this.#clock = clock;
    this.client = clientOf(started.engine);
    this.#logs = new Logs(logs, onLogLine);
    this.#deadLetters = new DeadLetters(join(logs, 'dead-letters'));
    const dependencies = this.#workerDependencies();
    const maySend = (name: string, resource: string) =>
      started.permissions.check(name, { action: 'sqs:SendMessage', resource });
    this.#schedules = new Schedules({ ...dependencies, maySend });
    this.#messages = new MessageService(template.messaging, { ...dependencies, folder: queues });
    this.#streams = new TableStreams({ ...dependencies, maySend });
    this.#erasures = new Erasures({
      ...options,
      store: () => openStore(this.client, this.tableName, realSystem),
      holders: [this.#messages.queues, this.#deadLetters],
      forget: () => {
        started.engine.compact();
      },
    });
    this.#changes = new SourceChanges(version, () => this.#reload());
    this.#running = this.#run(template);
  }

  /** @throws LocalError if a function does not build, or there is no database engine */
  static async start(options: MachineOptions): Promise<Machine> {
    const { keepSms, reportsDelivery = true } = options;
    const version = sourcesVersion();
    const starting = startEngineAndSynthesize(options);
    // Runs during the synthesis, which is a separate process.
    const environments = new Environments(options);
    const [engine, template] = await starting;
    // Only the machine tells functions where the stand-ins are. So no stand-in is called before there is a machine.
    const permissions = new Permissions(
      (name) => machine.#running.hosts.get(name)?.definition.role ?? [],
      options.onPermissionCheck,
    );
    const guard = await startRoleGuard(engine.endpoint, {
      permissions,
      mayLackLeadingKeys: options.mayLackLeadingKeys,
      passed: (operation, body) => {
        machine.#streams.follow(operation, body);
      },
    });
    const sms = await startSmsStandIn({
      permissions,
      keep: keepSms,
      hasConfigurationSet: (name) => machine.#messages.hasConfigurationSet(name),
      report: (sms) => {
        if (reportsDelivery) machine.#messages.reportDelivery(sms);
      },
      textsTopicArn: () => machine.textsTopicArn,
    });
    const lambda = await startLambdaStandIn({
      permissions,
      invoke: (name, event) => machine.#invokeDeployed(name, event),
    });
    const sqs = await startSqsStandIn({ permissions, queues: () => machine.#messages.queues });
    const keys = () => machine.#running.template.keys;
    const kms = await startKmsStandIn({ permissions, keys, keyFile: new KeyFile(options.keys) });
    const started = { permissions, engine, guard, sms, lambda, sqs, kms, environments };
    const machine: Machine = new Machine(options, started, template, version);
    await machine.#ensureTables(template);
    machine.#messages.queues.open();
    return machine;
  }

  get engine(): Engine {
    return this.#started.engine;
  }

  /** Name of the table in the engine. */
  get tableName(): string {
    return this.#running.template.tables[0]?.name ?? '';
  }

  /** Endpoint of the stand-in for the SMS provider. */
  get smsEndpoint(): string {
    return this.#started.sms.endpoint;
  }

  /** Endpoint of the stand-in for KMS, and the key of secrets if the template has it. */
  get secrets(): { endpoint: string; key: string } | undefined {
    const [key] = this.#running.template.keys;
    return key === undefined ? undefined : { endpoint: this.#started.kms.endpoint, key };
  }

  /** Endpoint of the stand-in for Lambda's API. */
  get lambdaEndpoint(): string {
    return this.#started.lambda.endpoint;
  }

  /** Topic of incoming SMS, if the template has one. */
  get textsTopicArn(): string | undefined {
    const { textsTopic } = this.#running.template.messaging;
    return textsTopic === undefined ? undefined : topicArnOf(textsTopic);
  }

  /** Workers on a schedule, with their intervals, such as `5 minutes`. */
  get workers(): { description: string; every: string }[] {
    const { template, hosts } = this.#running;
    return template.schedules.map(({ functionName, every }) => ({
      description: hosts.get(functionName)?.definition.description ?? functionName,
      every: every.text,
    }));
  }

  /** @throws LocalError if the changed sources do not run */
  async answer(request: HttpRequest): Promise<HttpResponse> {
    const { gateway, template } = await this.#current();
    if (!isLocalRequest(request))
      return this.#erasures.follow(request, template, () => gateway.answer(request));
    const messages = this.#messages;
    const redrive = () => this.#deadLetters.redrive(messages.queues);
    return answerLocally(request, { messages, redrive });
  }

  /** Ends everything that this machine started. */
  async close(): Promise<void> {
    const { engine, guard, sms, lambda, sqs, kms } = this.#started;
    this.#schedules.stop();
    this.#messages.queues.stop();
    this.#streams.stop();
    this.#logs.stop();
    this.client.destroy();
    await Promise.all([...this.#running.hosts.values()].map((host) => host.close()));
    await guard.close();
    await sms.close();
    await lambda.close();
    await sqs.close();
    await kms.close();
    await engine.close();
  }

  /**
   * Runs the current version of the sources.
   * @throws LocalError if it does not run
   */
  async #current(): Promise<Running> {
    if (this.#options.watch) await this.#changes.follow();
    return this.#running;
  }

  async #reload(): Promise<void> {
    const { settings, givenUp } = this.#options;
    const template = readTemplate(await ensureAssembly({ settings, signal: givenUp }));
    await this.#ensureTables(template);
    this.#running = this.#run(template, this.#running.hosts);
  }

  /** Runs a template in place of the previous one. */
  #run(template: Template, before: Running['hosts'] = new Map()): Running {
    const hosts = this.#hostsOf(template, before);
    const invoke = (name: string, event: unknown) => {
      const host = hosts.get(name);
      if (!host) throw new LocalError(`The template routes to ${name}, a function that it does not define`);
      return this.#invoke(host, event);
    };
    const { accessLog } = template.logGroups;
    const gateway = new Gateway(
      template,
      invoke,
      () => this.#clock.now(),
      (access) => {
        if (accessLog) this.#logs.write(accessLog.group, accessLog.lineOf(access));
      },
      this.#options.timeLimit,
    );
    this.#schedules.keep(template.schedules);
    this.#messages.keep(template.messaging);
    this.#streams.keep(template.streams);
    return { template, hosts, gateway };
  }

  /** Hosts a template's functions. Unchanged functions keep running; changed ones finish their invocations. */
  #hostsOf({ functions }: Template, before: Running['hosts']): Running['hosts'] {
    const { environments, guard, ...services } = this.#started;
    const endpoints = {
      dynamodb: guard.endpoint,
      sms: services.sms.endpoint,
      lambda: services.lambda.endpoint,
      sqs: services.sqs.endpoint,
      kms: services.kms.endpoint,
    };
    const hosts = new Map(
      functions.map((inTemplate) => {
        const { timeLimit } = this.#options;
        const definition = { ...inTemplate, ...(timeLimit && { timeoutSeconds: timeLimit / 1000 }) };
        const known = before.get(definition.name);
        const host = known && isSame(known.definition, definition) ? known : undefined;
        const variables = variablesOf(definition, endpoints);
        return [definition.name, host ?? new FunctionHost(definition, environments, variables, this.#clock)];
      }),
    );
    for (const [name, host] of before) if (hosts.get(name) !== host) void host.retire();
    return hosts;
  }

  async #ensureTables({ tables }: Template): Promise<void> {
    for (const table of tables) await ensureTable(this.client, table, this.engine);
  }

  #workerDependencies(): WorkerDependencies {
    const { onRun = () => undefined } = this.#options;
    return {
      clock: this.#clock,
      onRun,
      invoke: async (name, event) => {
        const host = (await this.#current()).hosts.get(name);
        return host && this.#invoke(host, event);
      },
      keepDeadLetter: (letter) => {
        this.#deadLetters.add(letter, this.#clock.now());
      },
    };
  }

  /** Invokes the function that is deployed under a name. Undefined if there is none. */
  async #invokeDeployed(name: string, event: unknown): Promise<Outcome | undefined> {
    const { hosts } = await this.#current();
    const host = [...hosts.values()].find(({ definition }) => definition.deployedName === name);
    return host && this.#invoke(host, event);
  }

  async #invoke(host: FunctionHost, event: unknown): Promise<Outcome> {
    const outcome = await host.invoke(event);
    const { name } = host.definition;
    const group = this.#running.template.logGroups.ofFunctions.get(name) ?? name;
    this.#logs.write(group, ...functionLines(outcome, this.#clock.now()));
    return outcome;
  }
}

/** True if nothing changes by running one definition for the other. Assemblies have the same bundle in their own folders. */
const isSame = (one: LocalFunction, other: LocalFunction) =>
  isDeepStrictEqual({ ...one, folder: basename(one.folder) }, { ...other, folder: basename(other.folder) });

/** Starts the engine, and synthesizes the template meanwhile. */
async function startEngineAndSynthesize(options: MachineOptions): Promise<[Engine, Template]> {
  const { assembly, settings, givenUp, database, onStep } = options;
  // Without an engine, the synthesis is pointless.
  const noEngine = new AbortController();
  const signal = AbortSignal.any([noEngine.signal, ...(givenUp ? [givenUp] : [])]);
  const [engine, template] = await Promise.allSettled([
    startEngine(database).catch((error: unknown) => {
      noEngine.abort();
      throw error;
    }),
    (assembly === undefined ? ensureAssembly({ settings, signal, onStep }) : Promise.resolve(assembly)).then(
      readTemplate,
    ),
  ] as const);
  if (engine.status === 'rejected') throw engine.reason;
  if (template.status === 'fulfilled') return [engine.value, template.value];
  await engine.value.close();
  throw template.reason;
}
