import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { deepStrictEqual, rejects } from 'node:assert';
import { join } from 'node:path';
import * as v from 'valibot';
import { root } from '../../../infra/root.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import {
  baseUrlOutput,
  dataStackNameOf,
  smsTopicOutput,
  stackNameOf,
  tableNameOutput,
} from '../../../infra/stack/resource-names.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { clientConfig, openStore, type Store } from '../../../shared/ledger/index.ts';
import { foundOrganizationBy, limits } from '../../support/stored-organization.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';
import { AwsCalls } from './aws-calls.ts';
import { output } from '../commands.ts';
import { eventually } from '../../support/patience.ts';
import { withServer } from '../with-server.ts';
import { accountId, region, rootKey, type Emulator } from './emulator.ts';
import { checkDeliveredWebhook } from './delivered-webhook.ts';
import { callEveryOperation } from './every-operation.ts';
import { checkReceivedText } from './received-text.ts';
import { checkRoles } from './roles.ts';
import { WaitingTexts } from './waiting-texts.ts';
import { checkData, checkGone, checkServed, functionsOf } from './served-stage.ts';

const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');

/** Output of `organization create --json`. */
const Founded = v.object({ organization: OrganizationCode, token: v.string() });

interface Tools {
  /** Folder of the tools' programs. */
  programs: string;
  /** Folder for files made on the way. */
  folder: string;
}

/**
 * The stacks of `dev` in an emulator, from their first deployment to their deletion, by an operator's commands.
 */
export class TriedStage {
  readonly #aws: AwsCalls;
  readonly #emulator: Emulator;
  readonly #tools: Tools;
  /** Copy of the project, which can be changed and deployed. */
  readonly #project = new ProjectCopy();
  #tableName = '';
  #baseUrl = '';
  #textsTopic = '';
  #organization: OrganizationCode | undefined;
  #token = '';

  constructor(emulator: Emulator, tools: Tools) {
    this.#aws = new AwsCalls(emulator.endpoint);
    this.#emulator = emulator;
    this.#tools = tools;
  }

  async bootstrap(): Promise<void> {
    await this.#cdk('bootstrap', `aws://${accountId}/${region}`);
  }

  async deploy(): Promise<void> {
    await this.#cdkDeploy();
    const outputs = await this.#outputs(dataStackNameOf('dev'));
    this.#tableName = outputs.get(tableNameOutput)!;
    this.#textsTopic = outputs.get(smsTopicOutput)!;
    await checkServed(this.#aws, this.#tableName);
  }

  async checkRoles({ suppliesEveryKey = false } = {}): Promise<void> {
    const { programs } = this.#tools;
    const folder = join(this.#tools.folder, `probe-${String(suppliesEveryKey)}`);
    await checkRoles(this.#aws, { tableName: this.#tableName, programs, folder, suppliesEveryKey });
  }

  /** Runs the operator's first command, and uses its token. */
  async foundOrganization(): Promise<void> {
    const owner = [
      '--owner-first-name',
      'Ann',
      '--owner-last-name',
      'Lee',
      '--owner-email',
      'ann@example.com',
    ];
    const founding = [
      'organization',
      'create',
      '--stage',
      'dev',
      '--name',
      'Corner Roofing',
      '--country',
      'AU',
    ];
    const founded = await this.#node('infra/admin/admin.ts', ...founding, ...owner, '--json');
    ({ token: this.#token, organization: this.#organization } = v.parse(Founded, JSON.parse(founded)));
    deepStrictEqual(await this.#leads(), {
      leads: [],
      totalPages: 0,
      currentPage: 1,
      totalCount: 0,
      nextAfter: null,
    });
  }

  /** Publishes an incoming SMS, as a phone number of the account would. */
  async receiveText(): Promise<void> {
    const where = { topic: this.#textsTopic, organization: this.#organization! };
    await this.#withStore((store) => checkReceivedText(this.#aws, store, where));
  }

  /** Creates a webhook, and lets something happen. */
  deliverWebhook(): Promise<void> {
    return checkDeliveredWebhook((method, path, body) => this.#call(method, path, body));
  }

  /** Calls every operation in a separate organization. */
  async callEveryOperation(): Promise<void> {
    await this.#withStore(async (store) => {
      const organization = await foundOrganizationBy({ open: () => store, limits });
      await callEveryOperation(this.#baseUrl, organization);
    });
  }

  /**
   * Runs a file of `npm run test:deployed`. The command also asks, for each kind of call, whether the emulator
   * supplies keys.
   */
  async test(answer: 'supplied' | 'not supplied', file: string): Promise<void> {
    const args = ['--stage', 'dev', '--url', this.#baseUrl, `functional/${file}.test`];
    const said = await this.#node('test/deployed/deployed.ts', ...args);
    deepStrictEqual(said.match(/(?:not )?supplied$/gm), [answer, answer, answer]);
  }

  /** Changes the answer twice while `cdk watch` runs: before its first deployment, and after it. */
  async watch(): Promise<void> {
    const { endpoint, environment } = this.#emulator;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value ?? ''}`);
    const stack = [stackNameOf('dev'), '--exclusively', '--no-logs', ...this.#settings()];
    const command = [
      'env',
      '-C',
      this.#project.folder,
      ...variables,
      process.execPath,
      cdk,
      'watch',
      ...stack,
    ];
    const answer = "...pageOf('leads', page, shown),";
    this.#project.edit('functions/leads/list-leads.ts', answer, `${answer} totalCount: 4712,`);
    await withServer({ name: 'cdk watch', url: `${endpoint}/_ministack/health`, command }, async () => {
      await this.#served(4712);
      this.#project.edit('functions/leads/list-leads.ts', '4712', '4713');
      await this.#served(4713);
    });
  }

  /**
   * Deletes the service while texts wait, and deploys a service with another answer of one function. The texts are stored,
   * and no other function has other code.
   */
  async replaceService(): Promise<void> {
    const before = new Map((await functionsOf(this.#aws)).map((one) => [one.FunctionName, one.CodeSha256]));
    const texts = new WaitingTexts(this.#aws, this.#textsTopic);
    await texts.comeBeforeDeletion();
    await this.#cdkDestroy(stackNameOf('dev'));
    deepStrictEqual(await functionsOf(this.#aws), []);
    await checkData(this.#aws, { tableName: this.#tableName, topic: this.#textsTopic });
    await texts.comeWhileDeleted();
    this.#project.edit('functions/leads/list-leads.ts', '4713', '4714');
    await this.#cdkDeploy();
    await this.#withStore((store) => texts.arrive(store, this.#organization!));
    const changed = (await functionsOf(this.#aws)).filter(
      ({ FunctionName, CodeSha256 }) => before.get(FunctionName) !== CodeSha256,
    );
    deepStrictEqual(
      changed.map(({ FunctionName }) => FunctionName.replace(/.*-/, '')),
      ['ListLeads'],
    );
    deepStrictEqual((await this.#leads())['totalCount'], 4714);
  }

  /** Deploys roles that require each key. */
  async requireLeadingKeys(): Promise<void> {
    const before = await this.#leads();
    await this.#cdkDeploy({ requireLeadingKeys: 'true' });
    await rejects(this.#createLead(), /^Error: POST \/v1\/leads was answered 500/);
    this.#emulator.supplyEveryKey();
    deepStrictEqual(await this.#leads(), before);
    await this.#createLead();
    await this.checkRoles({ suppliesEveryKey: true });
  }

  async destroy(): Promise<void> {
    await this.#cdkDestroy('--all');
    await checkGone(this.#aws);
  }

  /** Removes the files that it made on this computer. */
  close(): Promise<void> {
    return this.#project.remove();
  }

  async #cdkDeploy(changes: Record<string, string> = {}): Promise<void> {
    // Without change sets, because the CDK waits seconds for each of them.
    const how = ['--require-approval', 'never', '--method', 'direct'];
    await this.#cdk('deploy', '--all', ...this.#settings(changes), ...how);
    const outputs = await this.#outputs(stackNameOf('dev'));
    const [, id] = /^https:\/\/(\w+)\.execute-api\./.exec(outputs.get(baseUrlOutput)!) ?? [];
    // The output names an address of AWS.
    this.#baseUrl = `${this.#emulator.endpoint}/_aws/execute-api/${id!}/dev`;
  }

  #settings(changes: Record<string, string> = {}): string[] {
    const all = { stage: 'dev', account: accountId, region, ...changes };
    return Object.entries(all).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  }

  /** Destroys stacks of the last deployment, without synthesizing them again. */
  async #cdkDestroy(stacks: string): Promise<void> {
    await this.#cdk('destroy', stacks, '--app', 'cdk.out', '--force');
  }

  #cdk(...args: string[]): Promise<string> {
    const options = { cwd: this.#project.folder, env: this.#emulator.environment };
    return output(process.execPath, [cdk, ...args], options);
  }

  #node(...args: string[]): Promise<string> {
    return output(process.execPath, args, { cwd: root, env: this.#emulator.environment });
  }

  async #outputs(StackName: string): Promise<Map<string, string>> {
    const named = { Action: 'DescribeStacks', Version: '2010-05-15', StackName };
    const keys = await this.#aws.query('cloudformation', named, 'OutputKey');
    const values = await this.#aws.query('cloudformation', named, 'OutputValue');
    return new Map(keys.map((key, at) => [key, values[at]!]));
  }

  /** Opens the stage's table. */
  async #withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const credentials = { accessKeyId: rootKey, secretAccessKey: rootKey };
    const { endpoint } = this.#emulator;
    const client = new DynamoDBClient({ ...clientConfig, endpoint, region, credentials });
    try {
      return await use(openStore(client, this.#tableName, realSystem));
    } finally {
      client.destroy();
    }
  }

  /** Waits until the changed code answers with this number of leads. */
  #served(totalCount: number): Promise<unknown> {
    return eventually(
      async () => (await this.#leads())['totalCount'] === totalCount || undefined,
      () => `cdk watch did not replace the code that answers ${totalCount}`,
    );
  }

  #createLead(): Promise<unknown> {
    return this.#call('POST', '/v1/leads', { firstName: 'Kim' });
  }

  async #leads(): Promise<Record<string, unknown>> {
    return (await this.#call('GET', '/v1/leads')) as Record<string, unknown>;
  }

  /** Calls the API. @throws LocalError for an answer that is no success */
  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.#baseUrl}${path}`, sent);
    const said = await answer.text();
    if (!answer.ok) throw new LocalError(`${method} ${path} was answered ${answer.status}: ${said}`);
    return said === '' ? undefined : JSON.parse(said);
  }
}
