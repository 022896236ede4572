import { readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import * as v from 'valibot';
import { logicalIdOf, resolve } from './intrinsics.ts';
import { LocalError } from './local-error.ts';
import { Statement } from './role.ts';

const Text = v.string();
const Texts = v.record(v.string(), v.string());

/** A resource of one type as the template describes it: what this machine needs to know, the rest left out. */
const resource = <const Type extends string, P extends v.GenericSchema>(type: Type, properties: P) =>
  v.object({ Type: v.literal(type), Properties: properties });

const TableResource = resource(
  'AWS::DynamoDB::GlobalTable',
  v.object({
    AttributeDefinitions: v.array(
      v.object({ AttributeName: Text, AttributeType: v.picklist(['S', 'N', 'B']) }),
    ),
    KeySchema: v.array(v.object({ AttributeName: Text, KeyType: v.picklist(['HASH', 'RANGE']) })),
    GlobalSecondaryIndexes: v.optional(
      v.array(
        v.object({
          IndexName: Text,
          KeySchema: v.array(v.object({ AttributeName: Text, KeyType: v.picklist(['HASH', 'RANGE']) })),
          Projection: v.object({
            ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
            NonKeyAttributes: v.exactOptional(v.array(Text)),
          }),
        }),
      ),
      [],
    ),
    StreamSpecification: v.object({ StreamViewType: v.literal('NEW_AND_OLD_IMAGES') }),
    TimeToLiveSpecification: v.object({ AttributeName: Text, Enabled: v.boolean() }),
  }),
);

const FunctionResource = v.object({
  ...resource(
    'AWS::Lambda::Function',
    v.object({
      Description: Text,
      Handler: Text,
      Timeout: v.number(),
      MemorySize: v.number(),
      Role: Text,
      Environment: v.optional(v.object({ Variables: Texts }), { Variables: {} }),
    }),
  ).entries,
  Metadata: v.object({ 'aws:asset:path': Text }),
});

const RoleResource = resource(
  'AWS::IAM::Role',
  v.object({
    Policies: v.array(v.object({ PolicyDocument: v.object({ Statement: v.array(Statement) }) })),
  }),
);

const PathResource = resource('AWS::ApiGateway::Resource', v.object({ ParentId: Text, PathPart: Text }));

const MethodResource = resource(
  'AWS::ApiGateway::Method',
  v.object({
    HttpMethod: Text,
    ResourceId: Text,
    AuthorizationType: v.picklist(['NONE', 'CUSTOM']),
    AuthorizerId: v.optional(Text),
    Integration: v.object({ Type: v.literal('AWS_PROXY'), Uri: Text }),
  }),
);

const AuthorizerResource = resource(
  'AWS::ApiGateway::Authorizer',
  v.object({
    Type: v.literal('TOKEN'),
    AuthorizerUri: Text,
    AuthorizerResultTtlInSeconds: v.number(),
    IdentitySource: v.literal('method.request.header.Authorization'),
    IdentityValidationExpression: v.optional(Text, ''),
  }),
);

const GatewayResponseResource = resource(
  'AWS::ApiGateway::GatewayResponse',
  v.object({
    ResponseType: Text,
    StatusCode: v.optional(Text),
    ResponseParameters: v.optional(Texts, {}),
    ResponseTemplates: v.optional(Texts, {}),
  }),
);

const RuleResource = resource(
  'AWS::Events::Rule',
  v.strictObject({
    ScheduleExpression: v.pipe(
      Text,
      v.regex(/^rate\([1-9]\d* (minute|hour|day)s?\)$/, 'is no rate, such as rate(5 minutes)'),
    ),
    State: v.literal('ENABLED'),
    Targets: v.array(
      v.strictObject({ Arn: Text, Id: Text, DeadLetterConfig: v.optional(v.object({ Arn: Text })) }),
    ),
  }),
);

const InvokeConfigResource = resource(
  'AWS::Lambda::EventInvokeConfig',
  v.object({ FunctionName: Text, MaximumRetryAttempts: v.number() }),
);

/**
 * Resources ignored on this machine: permissions to invoke, logs, API Gateway's account settings, dead letter
 * queues.
 */
const nothingHere = v.object({
  Type: v.picklist([
    'AWS::ApiGateway::Deployment',
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
    'AWS::CDK::Metadata',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
    'AWS::SQS::Queue',
    'AWS::SQS::QueuePolicy',
  ]),
});

const Resource = v.variant('Type', [
  TableResource,
  FunctionResource,
  PathResource,
  MethodResource,
  AuthorizerResource,
  GatewayResponseResource,
  RoleResource,
  RuleResource,
  InvokeConfigResource,
  nothingHere,
]);
type Resource = v.InferOutput<typeof Resource>;

export type Table = v.InferOutput<typeof TableResource>['Properties'] & { name: string };
export type Authorizer = v.InferOutput<typeof AuthorizerResource>['Properties'] & { functionName: string };
export type GatewayResponse = v.InferOutput<typeof GatewayResponseResource>['Properties'];

export interface LocalFunction {
  name: string;
  /** What it does, for people. */
  description: string;
  /** The folder of its bundle; its name changes with its contents. */
  folder: string;
  handler: string;
  timeoutSeconds: number;
  memorySize: number;
  environment: Record<string, string>;
  /** What its role allows. */
  role: Statement[];
}

export interface Route {
  method: string;
  /** Such as `/v1/leads/{leadId}`. */
  path: string;
  functionName: string;
  authorizer: Authorizer | undefined;
}

/** A schedule that calls a function. */
export interface Schedule {
  rule: string;
  functionName: string;
  /** Such as `5 minutes`. */
  every: { text: string; milliseconds: number };
  /** How often a failed event is retried. */
  retries: number;
}

/** A synthesized template as this machine runs it. Everything is named by its logical id. */
export interface Template {
  tables: Table[];
  functions: LocalFunction[];
  routes: Route[];
  schedules: Schedule[];
  gatewayResponses: Map<string, GatewayResponse>;
}

const Manifest = v.object({
  artifacts: v.record(
    v.string(),
    v.object({ type: Text, properties: v.optional(v.object({ templateFile: v.optional(Text) })) }),
  ),
});

/**
 * Reads the template of the one stack in a folder that `infra/app.ts` wrote.
 * @throws LocalError for a resource that this machine cannot run: what is tested must be what is deployed.
 */
export function readTemplate(folder: string): Template {
  const readJson = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts } = v.parse(Manifest, readJson('manifest.json'));
  const [stack] = Object.values(artifacts).filter(({ type }) => type === 'aws:cloudformation:stack');
  if (!stack) throw new LocalError(`There is no stack in ${folder}`);
  const text = readJson(stack.properties?.templateFile ?? '');
  const { Resources } = v.parse(v.object({ Resources: v.record(v.string(), v.unknown()) }), text);
  const resources = new Map(
    Object.entries(Resources).map(([name, value]) => [name, parseResource(name, value)]),
  );
  const of = <T extends Resource['Type']>(type: T) =>
    [...resources].filter(
      (entry): entry is [string, Extract<Resource, { Type: T }>] => entry[1].Type === type,
    );

  const authorizers = new Map<string, Authorizer>(
    of('AWS::ApiGateway::Authorizer').map(([name, { Properties }]) => [
      name,
      { ...Properties, functionName: functionOf(Properties.AuthorizerUri) },
    ]),
  );
  const roles = new Map(
    of('AWS::IAM::Role').map(([name, { Properties }]) => [
      name,
      Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    ]),
  );
  const retries = new Map(
    of('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => [
      Properties.FunctionName,
      Properties.MaximumRetryAttempts,
    ]),
  );
  const paths = new Map(of('AWS::ApiGateway::Resource').map(([name, { Properties }]) => [name, Properties]));
  const pathOf = (id: string): string => {
    const resource = paths.get(id);
    return resource ? `${pathOf(resource.ParentId)}/${resource.PathPart}` : '';
  };
  return {
    tables: of('AWS::DynamoDB::GlobalTable').map(([name, { Properties }]) => ({ ...Properties, name })),
    functions: of('AWS::Lambda::Function').map(([name, { Properties, Metadata }]) => ({
      name,
      description: Properties.Description,
      folder: resolvePath(folder, Metadata['aws:asset:path']),
      handler: Properties.Handler,
      timeoutSeconds: Properties.Timeout,
      memorySize: Properties.MemorySize,
      environment: Properties.Environment.Variables,
      role: roles.get(logicalIdOf(Properties.Role)) ?? [],
    })),
    routes: of('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
      method: Properties.HttpMethod,
      path: pathOf(Properties.ResourceId),
      functionName: functionOf(Properties.Integration.Uri),
      authorizer: authorizerOf(Properties, authorizers),
    })),
    schedules: of('AWS::Events::Rule').flatMap(([rule, { Properties }]) =>
      Properties.Targets.map(({ Arn }) => {
        const functionName = logicalIdOf(Arn);
        const every = intervalOf(Properties.ScheduleExpression);
        return { rule, functionName, every, retries: retries.get(functionName) ?? lambdaRetries };
      }),
    ),
    gatewayResponses: new Map(
      of('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
        Properties.ResponseType,
        Properties,
      ]),
    ),
  };
}

function authorizerOf(
  { AuthorizationType, AuthorizerId }: v.InferOutput<typeof MethodResource>['Properties'],
  authorizers: Map<string, Authorizer>,
): Authorizer | undefined {
  if (AuthorizationType === 'NONE') return undefined;
  const authorizer = authorizers.get(AuthorizerId ?? '');
  if (!authorizer)
    throw new LocalError(`A method asks for the authorizer ${AuthorizerId ?? ''}, which is not there`);
  return authorizer;
}

function parseResource(name: string, value: unknown): Resource {
  const result = v.safeParse(Resource, resolve(value));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const type = v.is(v.object({ Type: v.string() }), value) ? value.Type : 'a resource without a type';
  const at = v.getDotPath(issue) ?? '';
  const reason = at === 'Type' ? 'it does not know this type' : `${at} ${issue.message}`;
  throw new LocalError(`The local machine cannot run ${name} (${type}): ${reason}`);
}

/** Lambda's default number of retries. */
const lambdaRetries = 2;

const unitMilliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The interval of a rate: `rate(5 minutes)`. */
function intervalOf(rate: string): Schedule['every'] {
  const [, text = '', number, unit = ''] = /^rate\(((\d+) ([a-z]+?)s?)\)$/.exec(rate) ?? [];
  const milliseconds = new Map(Object.entries(unitMilliseconds)).get(unit) ?? 0;
  return { text, milliseconds: Number(number) * milliseconds };
}

/** The function in an integration's URI: `…:lambda:path/2015-03-31/functions/<its ARN>/invocations`. */
function functionOf(uri: string): string {
  const [, arn = ''] = /functions\/(.+)\/invocations$/.exec(uri) ?? [];
  return logicalIdOf(arn);
}
