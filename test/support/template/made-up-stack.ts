import { App } from 'aws-cdk-lib/core';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer, type Contracts, type Operation, type WorkerFunction } from '../../../infra/functions.ts';
import { root } from '../../../infra/root.ts';
import { DataStack } from '../../../infra/stack/data-stack.ts';
import { ServiceStack } from '../../../infra/stack/service-stack.ts';
import { settingsOf, type StageSettings } from '../../../infra/stack/settings-schema.ts';
import type { Model, Stage } from '../../../infra/stack/stage.ts';
import { stageFileOf } from '../../../infra/stack/stages.ts';
import { getLeadEndpoint } from '../../../shared/contract/leads.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';

export const alarmAddresses = ['ann@example.com', 'bob@example.com'];

/**
 * Settings of a stage's file, in no account and region, so that ARNs refer to the stack's account and region. If
 * the file leaves open who is told of alarms, nobody is told.
 */
export const fileSettings = (stage: Stage, like?: Model): StageSettings =>
  settingsOf({ alarmAddresses: 'none', ...stageFileOf(stage, like) }, { account: '', region: '' });

/** Every other setting with a value, so that the stacks have all that settings can add. */
export const allSettings: StageSettings = {
  ...fileSettings('prod'),
  smsOriginationIdentity: 'arn:aws:sms-voice:us-east-1:123456789012:pool/pool-0a1b',
  alarmAddresses,
  alarmAfterHoursWithoutTraffic: 24,
  reservedConcurrency: { getLead: 5 },
  tracing: true,
  backupVaultArn: 'arn:aws:backup:us-east-1:210987654321:backup-vault:sales',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b-2c3d',
};

/** Settings as `-c` gives them: all that the stage's file leaves out, or has otherwise. */
export const triedSettings = {
  account: '123456789012',
  region: 'eu-west-1',
  smsOriginationIdentity: allSettings.smsOriginationIdentity!,
  alarmAddresses: alarmAddresses.join(','),
  reservedConcurrency: 'getLead:5',
  tracing: 'true',
  logRetentionDays: '30',
  requestsPerSecond: '3',
  requestBurst: '7',
  domainName: allSettings.domainName!,
  certificateArn: allSettings.certificateArn!,
};

/** An operation for stacks that may have any operations. */
export const getLead: Operation = {
  kind: 'endpoint',
  operationId: 'getLead',
  endpoint: getLeadEndpoint,
  entry: 'functions/leads/get-lead.ts',
};

/** An operation that takes forms of websites, with keys in the query. */
export const submitForm: Operation = {
  kind: 'endpoint',
  operationId: 'submitForm',
  endpoint: {
    ...getLeadEndpoint,
    method: 'POST',
    path: '/v1/forms/submissions',
    scope: 'forms:submit',
    takesForms: true,
    bringsLeads: true,
  },
  entry: 'functions/forms/submit-form.ts',
};

/** An operation that sends SMS. */
export const sendSms: Operation = {
  kind: 'endpoint',
  operationId: 'sendSms',
  endpoint: { ...getLeadEndpoint, method: 'POST', path: '/v1/sms', uses: 'sms' },
  entry: 'functions/sms/send-sms.ts',
};

/** The worker that receives SMS. */
export const receiveTexts: WorkerFunction = {
  kind: 'worker',
  worker: receiveTextsWorker,
  entry: 'functions/workers/receive-texts.ts',
};

interface MadeUp {
  stage: Stage;
  settings?: StageSettings;
  contracts: Pick<Contracts, 'operations' | 'workers'> & Partial<Pick<Contracts, 'publicFunctions'>>;
  validate?: boolean;
}

const nothing = 'export const handler = async () => undefined;';

/** Synthesizes the stacks of these contracts into a folder, as `infra/app.ts` does for the service. */
export function synthesizeStacks(
  folder: string,
  { stage, settings = fileSettings(stage), contracts, validate = false }: MadeUp,
): { data: DataStack; service: ServiceStack } {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  const app = new App({
    outdir: folder,
    context: {
      ...context,
      'aws:cdk:enable-asset-metadata': true,
      'aws:cdk:disable-asset-staging': true,
    },
    builtinCloudFormationValidation: validate,
  });
  const { operations, workers, publicFunctions = [] } = contracts;
  const bundles = [authorizer, ...operations, ...workers, ...publicFunctions].map(({ entry }, at) => {
    const bundle = { folder: join(folder, 'functions', String(at)), hash: String(at).padStart(64, '0') };
    mkdirSync(bundle.folder, { recursive: true });
    writeFileSync(join(bundle.folder, 'index.mjs'), nothing);
    return [entry, bundle] as const;
  });
  const data = new DataStack(app, 'MadeUp-data', { stage, settings, contracts });
  const service = new ServiceStack(app, 'MadeUp', {
    stage,
    settings,
    contracts: { operations, workers, publicFunctions },
    code: new Map(bundles),
    data,
  });
  app.synth();
  return { data, service };
}

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

/** Operation of the API's definition. */
export interface DefinedOperation {
  security?: Record<string, []>[];
  responses: Record<string, object>;
  'x-amazon-apigateway-integration': { type: string } & Record<string, unknown>;
}

/** Definition of the API, with what tests look for in it. */
export interface Definition {
  paths: Record<string, Record<string, DefinedOperation>>;
  components: {
    securitySchemes: Record<
      string,
      { 'x-amazon-apigateway-authorizer': Record<string, unknown> } & Record<string, unknown>
    >;
  };
  'x-amazon-apigateway-gateway-responses': Record<
    string,
    {
      statusCode?: string;
      responseParameters: Record<string, string>;
      responseTemplates: Record<string, string>;
    }
  >;
}

/** Template of a stack of the service, with what tests look for in it. */
export interface Template {
  resources: Record<string, Resource>;
  outputs: Record<string, { Value: unknown }>;
  parameters: Record<string, { AllowedValues?: string[]; Default: string }>;
  rules: Record<string, { Assertions: { Assert: object; AssertDescription: string }[] }>;
  terminationProtection: boolean;
  /** Ids of the stacks that are deployed before it. */
  after: string[];
  /** Account and region, such as `aws://123456789012/us-east-1`. */
  environment: string;
  /** Findings of the CDK's own validation. Undefined unless that was asked for. */
  violations: unknown;
  /** Size of the file. */
  bytes: number;
  /** Resources of a type, by their ids. */
  of: (type: string) => [id: string, resource: Resource][];
  /** The one resource of a type with an id that begins with `start`. */
  one: (type: string, start?: string) => Resource & { id: string };
}

/** Template of the service and its API's definition, with the template of the data. */
export type Templates = Template & { definition: Definition; data: Template };

/** Reads the templates in a folder of `synthesizeStacks`, or of the app. */
export function templateOf(folder: string, name = 'MadeUp'): Templates {
  const service = readTemplate(folder, name);
  const definition = service.one('AWS::ApiGateway::RestApi').Properties['Body'] as Definition;
  return { ...service, definition, data: readTemplate(folder, `${name}-data`) };
}

function readTemplate(folder: string, name: string): Template {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { Resources, Outputs, Parameters, Rules } = read(`${name}.template.json`) as {
    Resources: Template['resources'];
    Outputs: Template['outputs'];
    Parameters: Template['parameters'];
    Rules: Template['rules'];
  };
  const { artifacts } = read('manifest.json') as {
    artifacts: Record<
      string,
      {
        environment: string;
        properties: { terminationProtection?: boolean };
        dependencies?: string[];
      }
    >;
  };
  const of = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  return {
    resources: Resources,
    bytes: statSync(join(folder, `${name}.template.json`)).size,
    outputs: Outputs,
    parameters: Parameters,
    rules: Rules,
    terminationProtection: artifacts[name]!.properties.terminationProtection ?? false,
    environment: artifacts[name]!.environment,
    // The others are the stack's own assets.
    after: (artifacts[name]!.dependencies ?? []).filter((id) => !id.endsWith('.assets')),
    violations: existsSync(join(folder, report))
      ? (read(report) as { pluginReports: unknown }).pluginReports
      : undefined,
    of,
    one: (type, start = '') => {
      const found = of(type).filter(([id]) => id.startsWith(start));
      if (found.length !== 1) throw new Error(`There are ${found.length} ${type} ${start}`);
      const [[id, resource]] = found as [[string, Resource]];
      return { id, ...resource };
    },
  };
}

const report = 'validation-report.json';

/**
 * Synthesizes stacks with one endpoint and no workers, but for what is given, and reads their templates.
 * `settings` replace the stage's own.
 */
export function templateWith({
  stage = 'prod',
  like,
  settings,
  operations = [getLead],
  workers = [],
  validate,
}: {
  stage?: Stage;
  like?: Model;
  settings?: Partial<StageSettings>;
  operations?: Operation[];
  workers?: WorkerFunction[];
  validate?: boolean;
} = {}): Templates {
  const folder = mkdtempSync(join(tmpdir(), 'made-up-'));
  try {
    synthesizeStacks(folder, {
      stage,
      settings: { ...fileSettings(stage, like), ...settings },
      contracts: { operations, workers },
      ...(validate !== undefined && { validate }),
    });
    return templateOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
