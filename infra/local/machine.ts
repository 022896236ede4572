import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { realSystem } from '../../shared/core/system.ts';
import { openStore } from '../../shared/ledger/index.ts';
import { MachineClock } from './clock.ts';
import { clientOf, startEngine, type Engine } from './engine.ts';
import { Environments } from './environments.ts';
import { Erasures } from './erasure/erasures.ts';
import type { FunctionHost } from './function-host.ts';
import type { Outcome } from './function-messages.ts';
import type { HttpResponse, HttpRequest } from './http-message.ts';
import { answerLocally, isLocalRequest } from './messaging/local-requests.ts';
import { MessageService } from './messaging/message-service.ts';
import { topicArnOf } from './messaging/topics.ts';
import type { MachineOptions } from './machine-options.ts';
import { startRoleGuard, type RoleGuard } from './role-guard.ts';
import { isAllowed, type Statement } from './role.ts';
import { runTemplate, type Running } from './running.ts';
import { Schedules } from './schedules.ts';
import { startSmsStandIn, type SmsStandIn } from './sms-stand-in.ts';
import { SourceChanges } from './source-changes.ts';
import { sourcesVersion, synthesize } from './synthesize.ts';
import { ensureTable } from './tables.ts';
import { readTemplate, type Template } from './template/template.ts';
import { DeadLetters } from './logs/dead-letters.ts';
import { functionLines, Logs } from './logs/logs.ts';
import type { WorkerDependencies } from './worker-run.ts';

/**
 * Runs the synthesized template: its table in an engine, its functions in threads, its API, and its schedules
 * and queues, which call workers.
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
  readonly #messages: MessageService;
  readonly #logs: Logs;
  readonly #deadLetters: DeadLetters;
  readonly #erasures: Erasures;
  #running: Running;
  readonly #changes: SourceChanges;

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
    const { clock = new MachineClock(), onRun = () => undefined } = options;
    this.#clock = clock;
    this.#logs = new Logs(options.logs, options.onLogLine);
    this.#deadLetters = new DeadLetters(join(options.logs, 'dead-letters'));
    const dependencies: WorkerDependencies = {
      clock,
      invoke: (name, event) => this.#invokeWorker(name, event),
      onRun,
      keepDeadLetter: (letter) => {
        this.#deadLetters.add(letter, clock.now());
      },
    };
    this.#schedules = new Schedules({
      ...dependencies,
      maySend: (name, resource) =>
        isAllowed(
          name,
          { action: 'sqs:SendMessage', resource },
          {
            roleOf: (one) => this.#roleOf(one),
            onPermissionCheck: options.onPermissionCheck ?? (() => undefined),
          },
        ),
    });
    this.#messages = new MessageService(template.messaging, { ...dependencies, folder: options.queues });
    this.#erasures = new Erasures({
      ...options,
      store: () => openStore(this.client, this.tableName, realSystem),
      holders: [this.#messages.queues, this.#deadLetters],
      forget: () => {
        engine.compact();
      },
    });
    this.#running = this.#run(template);
    this.#changes = new SourceChanges(version, () => this.#reload());
  }

  /** @throws LocalError if a function does not build, or there is no database engine */
  static async start(options: MachineOptions): Promise<Machine> {
    // Removes the files of earlier starts. Later this would not be safe: functions load chunks on demand.
    const { assembly, isSynthesized, settings, givenUp } = options;
    if (!isSynthesized) rmSync(assembly, { recursive: true, force: true });
    const version = sourcesVersion();
    // Without an engine, the synthesis is pointless.
    const noEngine = new AbortController();
    const signal = AbortSignal.any([noEngine.signal, ...(givenUp ? [givenUp] : [])]);
    const starting = Promise.allSettled([
      startEngine(options.database).catch((error: unknown) => {
        noEngine.abort();
        throw error;
      }),
      isSynthesized
        ? Promise.resolve(assembly).then(readTemplate)
        : synthesize(assembly, { settings, signal }),
    ] as const);
    // Runs during the synthesis, which is a process of its own.
    const environments = new Environments();
    const [engine, template] = await starting;
    if (engine.status === 'rejected') throw engine.reason;
    if (template.status === 'rejected') {
      await engine.value.close();
      throw template.reason;
    }
    const { onPermissionCheck, keepSms, reportsDelivery = true } = options;
    const roleOf = (name: string) => machine.#roleOf(name);
    const guard = await startRoleGuard(engine.value.endpoint, roleOf, onPermissionCheck);
    const sms = await startSmsStandIn({
      roleOf,
      keep: keepSms,
      ...(onPermissionCheck && { onPermissionCheck }),
      hasConfigurationSet: (name) => machine.#messages.hasConfigurationSet(name),
      report: (text) => {
        if (reportsDelivery) machine.#messages.reportDelivery(text);
      },
      textsTopicArn: () => machine.textsTopicArn,
    });
    const machine = new Machine(options, engine.value, { guard, sms, environments }, template.value, version);
    await machine.#ensureTables(template.value);
    machine.#messages.queues.open();
    return machine;
  }

  /** Name of the table in the engine. */
  get tableName(): string {
    return this.#running.template.tables[0]?.name ?? '';
  }

  /** Endpoint of the stand-in for the SMS provider. */
  get smsEndpoint(): string {
    return this.#sms.endpoint;
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
    this.#schedules.stop();
    this.#messages.queues.stop();
    this.#logs.stop();
    this.client.destroy();
    await Promise.all([...this.#running.hosts.values()].map((host) => host.close()));
    await this.#guard.close();
    await this.#sms.close();
    await this.engine.close();
  }

  /**
   * Runs the current version of the sources.
   * @throws LocalError if it does not run
   */
  async #current(): Promise<Running> {
    if (this.#options.watch) await this.#changes.follow();
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
    const outcome = await host.invoke(event);
    const { name } = host.definition;
    const group = this.#running.template.logGroups.ofFunctions.get(name) ?? name;
    this.#logs.write(group, ...functionLines(outcome, this.#clock.now()));
    return outcome;
  }

  async #reload(): Promise<void> {
    const { assembly, settings, givenUp } = this.#options;
    const template = await synthesize(assembly, { settings, signal: givenUp });
    await this.#ensureTables(template);
    this.#running = this.#run(template, this.#running.hosts);
  }

  async #ensureTables({ tables }: Template): Promise<void> {
    for (const table of tables) await ensureTable(this.client, table, this.engine);
  }

  /** Runs a template in place of the previous one. */
  #run(template: Template, before: Running['hosts'] = new Map()): Running {
    const running = runTemplate(template, before, {
      environments: this.#environments,
      endpoints: { dynamodb: this.#guard.endpoint, sms: this.#sms.endpoint },
      clock: this.#clock,
      invoke: (host, event) => this.#invoke(host, event),
      recordAccess: (access) => {
        const { accessLog } = template.logGroups;
        if (accessLog) this.#logs.write(accessLog.group, accessLog.lineOf(access));
      },
    });
    this.#schedules.keep(template.schedules);
    this.#messages.keep(template.messaging);
    return running;
  }
}
