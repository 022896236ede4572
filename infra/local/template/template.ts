import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { apiOf, functionFinder, type Api } from './api.ts';
import { arnOf, logicalIdOf } from '../arns.ts';
import { type Parameters, resolve } from '../intrinsics.ts';
import { LocalError } from '../local-error.ts';
import { type Messaging, messagingOf } from './messaging.ts';
import { string } from './resource-schema.ts';
import { ParameterResource, parseResource, type Resource, type TableProperties } from './resources.ts';
import type { Statement } from '../role.ts';
import { logGroupsOf, type LogGroups } from './logs.ts';
import { streamsOf, type TableStream } from './streams.ts';
import { smsTopicOutput } from '../../stack/resource-names.ts';

export type Table = Omit<TableProperties, 'TableName'> & { name: string };

export interface LocalFunction {
  name: string;
  /** Name under which AWS has it. */
  deployedName?: string | undefined;
  /** Purpose of the function, for people. */
  description: string;
  /** Folder of its bundle. The folder's name changes with the contents. */
  folder: string;
  handler: string;
  timeoutSeconds: number;
  memorySize: number;
  environment: Record<string, string>;
  /** Statements of its role. */
  role: Statement[];
}

/** A schedule that calls a function. */
export interface Schedule {
  rule: string;
  functionName: string;
  /** Interval, such as `5 minutes`. */
  every: { text: string; milliseconds: number };
  /** Retries of a failed event. */
  retries: number;
  /** ARN of the queue for events that failed at every attempt. Without one, they are lost. */
  deadLetters?: string | undefined;
}

/** The synthesized templates of a stage as this machine runs them. Names of functions are logical ids. */
export interface Template extends Api {
  tables: Table[];
  functions: LocalFunction[];
  schedules: Schedule[];
  messaging: Messaging;
  streams: readonly TableStream[];
  /** ARNs of the keys of KMS. */
  keys: readonly string[];
  logGroups: LogGroups;
}

const Manifest = v.object({
  artifacts: v.record(
    string,
    v.object({ type: string, properties: v.optional(v.object({ templateFile: v.optional(string) })) }),
  ),
});

const StackTemplate = v.object({
  Parameters: v.optional(v.record(string, v.object({ Type: string, Default: v.optional(string, '') })), {}),
  Resources: v.record(string, v.unknown()),
  Outputs: v.optional(v.record(string, v.object({ Value: v.unknown() })), {}),
});

/**
 * Reads the templates of the stacks in a folder that `infra/app.ts` wrote, as one.
 * @throws LocalError for a resource that this machine cannot run, because tests must run what is deployed
 */
export function readTemplate(folder: string): Template {
  const readJson = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts } = v.parse(Manifest, readJson('manifest.json'));
  const templates = Object.values(artifacts)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ properties }) => v.parse(StackTemplate, readJson(properties?.templateFile ?? '')));
  const parameters = parametersOf(templates);
  const resources = new Map<string, Resource>();
  for (const [name, value] of templates.flatMap(({ Resources }) => Object.entries(Resources))) {
    // A reference could mean either resource.
    if (resources.has(name)) throw new LocalError(`Two stacks in ${folder} have a resource ${name}`);
    resources.set(name, parseResource(name, value, parameters));
  }
  const outputs = new Map(templates.flatMap(({ Outputs }) => Object.entries(Outputs)));
  const of = <T extends Resource['Type']>(type: T) =>
    [...resources].filter(
      (entry): entry is [string, Extract<Resource, { Type: T }>] => entry[1].Type === type,
    );

  const roles = new Map(
    of('AWS::IAM::Role').map(([name, { Properties }]) => [
      name,
      Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    ]),
  );
  const functionNames = new Map(
    of('AWS::Lambda::Function').map(([name, { Properties }]) => [name, Properties.FunctionName]),
  );
  const roleOf = (name: string) => functions.find((one) => one.name === name)?.role ?? [];
  const functions = of('AWS::Lambda::Function').map(([name, { Properties, Metadata }]) => ({
    name,
    deployedName: Properties.FunctionName,
    description: Properties.Description,
    // The path is absolute, and the assembly may have been moved since it was made.
    folder: join(folder, basename(dirname(Metadata['aws:asset:path'])), basename(Metadata['aws:asset:path'])),
    handler: Properties.Handler,
    timeoutSeconds: Properties.Timeout,
    memorySize: Properties.MemorySize,
    environment: Properties.Environment.Variables,
    role: roles.get(logicalIdOf(Properties.Role)) ?? [],
  }));
  const invokeConfigs = new Map(
    of('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => [Properties.FunctionName, Properties]),
  );
  const [restApi] = of('AWS::ApiGateway::RestApi');
  if (!restApi) throw new LocalError(`There is no API in ${folder}`);
  return {
    ...apiOf(restApi[1].Properties.Body, functionFinder(roles, functionNames)),
    tables: of('AWS::DynamoDB::GlobalTable').map(
      ([
        ,
        {
          Properties: { TableName: name, ...shape },
        },
      ]) => ({
        ...shape,
        name,
      }),
    ),
    functions,
    schedules: of('AWS::Events::Rule').flatMap(([rule, { Properties }]) =>
      Properties.Targets.map(({ Arn }) => {
        const functionName = logicalIdOf(Arn);
        const every = intervalOf(Properties.ScheduleExpression);
        const config = invokeConfigs.get(functionName);
        const retries = config?.MaximumRetryAttempts ?? lambdaRetries;
        const deadLetters = config?.DestinationConfig.OnFailure.Destination;
        return { rule, functionName, every, retries, deadLetters };
      }),
    ),
    messaging: messagingOf({
      of,
      roleOf,
      textsTopicId: outputOf(outputs.get(smsTopicOutput)?.Value),
    }),
    streams: streamsOf(of, roleOf),
    keys: of('AWS::KMS::Key').map(([name]) => arnOf(name)),
    logGroups: logGroupsOf(of),
  };
}

/** Values of the templates' parameters: each is the value of the SSM parameter that its default names. */
function parametersOf(templates: readonly v.InferOutput<typeof StackTemplate>[]): Parameters {
  const stored = new Map(
    templates
      .flatMap(({ Resources }) => Object.values(Resources))
      .map((value) => v.safeParse(ParameterResource, resolve(value)))
      .flatMap(({ success, output }) =>
        success ? [[output.Properties.Name, output.Properties.Value] as const] : [],
      ),
  );
  return new Map(
    templates
      .flatMap(({ Parameters }) => Object.entries(Parameters))
      .filter(([, { Type }]) => Type === 'AWS::SSM::Parameter::Value<String>')
      // None of these templates writes the CDK's own parameter, which is of its bootstrap stack.
      .map(([name, { Default }]) => [name, stored.get(Default) ?? name] as const),
  );
}

/** Value of an output; undefined if it does not exist. */
const outputOf = (value: unknown) => (value === undefined ? undefined : String(resolve(value)));

/** Lambda's default number of retries. */
const lambdaRetries = 2;

const unitMilliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Interval of a rate such as `rate(5 minutes)`. */
function intervalOf(rate: string): Schedule['every'] {
  const [, text = '', number, unit = ''] = /^rate\(((\d+) ([a-z]+?)s?)\)$/.exec(rate) ?? [];
  const milliseconds = new Map(Object.entries(unitMilliseconds)).get(unit) ?? 0;
  return { text, milliseconds: Number(number) * milliseconds };
}
