import * as v from 'valibot';
import { apiResources } from './api-resources.ts';
import { type Parameters, resolve } from '../intrinsics.ts';
import { LocalError } from '../local-error.ts';
import { messagingResources } from './messaging-resources.ts';
import { resource, string, Tags } from './resource-schema.ts';
import { Statement } from '../role.ts';

const TableResource = resource(
  'AWS::DynamoDB::GlobalTable',
  v.object({
    TableName: string,
    AttributeDefinitions: v.array(
      v.object({ AttributeName: string, AttributeType: v.picklist(['S', 'N', 'B']) }),
    ),
    KeySchema: v.array(v.object({ AttributeName: string, KeyType: v.picklist(['HASH', 'RANGE']) })),
    GlobalSecondaryIndexes: v.optional(
      v.array(
        v.object({
          IndexName: string,
          KeySchema: v.array(v.object({ AttributeName: string, KeyType: v.picklist(['HASH', 'RANGE']) })),
          Projection: v.object({
            ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
            NonKeyAttributes: v.exactOptional(v.array(string)),
          }),
        }),
      ),
      [],
    ),
    TimeToLiveSpecification: v.object({ AttributeName: string, Enabled: v.boolean() }),
  }),
);

const FunctionResource = v.object({
  ...resource(
    'AWS::Lambda::Function',
    v.object({
      FunctionName: v.optional(string),
      Description: string,
      Handler: string,
      Timeout: v.number(),
      MemorySize: v.number(),
      Role: string,
      Environment: v.optional(v.object({ Variables: v.record(string, string) }), { Variables: {} }),
      LoggingConfig: v.optional(v.object({ LogGroup: string })),
    }),
  ).entries,
  Metadata: v.object({ 'aws:asset:path': string }),
});

const RoleResource = resource(
  'AWS::IAM::Role',
  v.object({
    Policies: v.optional(
      v.array(v.object({ PolicyDocument: v.object({ Statement: v.array(Statement) }) })),
      [],
    ),
  }),
);

const RuleResource = resource(
  'AWS::Events::Rule',
  v.strictObject({
    ScheduleExpression: v.pipe(
      string,
      v.regex(/^rate\([1-9]\d* (minute|hour|day)s?\)$/, 'is no rate, such as rate(5 minutes)'),
    ),
    State: v.literal('ENABLED'),
    Tags,
    Targets: v.array(
      v.strictObject({ Arn: string, Id: string, DeadLetterConfig: v.optional(v.object({ Arn: string })) }),
    ),
  }),
);

const InvokeConfigResource = resource(
  'AWS::Lambda::EventInvokeConfig',
  v.object({
    FunctionName: string,
    MaximumRetryAttempts: v.number(),
    DestinationConfig: v.object({ OnFailure: v.object({ Destination: string }) }),
  }),
);

/** SSM parameter, with which one stack tells another a value that AWS chose. */
export const ParameterResource = resource(
  'AWS::SSM::Parameter',
  v.object({ Name: string, Type: v.literal('String'), Value: string }),
);

const KeyResource = resource('AWS::KMS::Key', v.object({ EnableKeyRotation: v.literal(true) }));

/**
 * Resources that this machine ignores: permissions to invoke, API Gateway's account settings, log groups,
 * alarms and their metrics, and the dashboard. Also ignored are resources that only settings of a stage
 * create: a domain and a web ACL.
 */
const nothingHere = v.object({
  Type: v.picklist([
    'AWS::ApiGateway::Account',
    'AWS::ApiGateway::BasePathMapping',
    'AWS::ApiGateway::Deployment',
    'AWS::ApiGateway::DomainName',
    'AWS::CDK::Metadata',
    'AWS::CloudWatch::Alarm',
    'AWS::CloudWatch::Dashboard',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
    'AWS::Logs::MetricFilter',
    'AWS::WAFv2::WebACL',
    'AWS::WAFv2::WebACLAssociation',
  ]),
});

const Resource = v.variant('Type', [
  TableResource,
  FunctionResource,
  RoleResource,
  RuleResource,
  InvokeConfigResource,
  ParameterResource,
  KeyResource,
  ...apiResources,
  ...messagingResources,
  nothingHere,
]);
export type Resource = v.InferOutput<typeof Resource>;

/** Lists the template's resources of a type. */
export type ResourcesOf = <T extends Resource['Type']>(
  type: T,
) => (readonly [logicalId: string, Extract<Resource, { Type: T }>])[];

export type TableProperties = v.InferOutput<typeof TableResource>['Properties'];

/** @throws LocalError if this machine cannot run the resource's type or one of its properties */
export function parseResource(name: string, value: unknown, parameters?: Parameters): Resource {
  const result = v.safeParse(Resource, resolve(value, parameters));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const type = v.is(v.object({ Type: string }), value) ? value.Type : 'a resource without a type';
  const at = v.getDotPath(issue) ?? '';
  const reason = at === 'Type' ? 'it does not know this type' : `${at} ${issue.message}`;
  throw new LocalError(`The local machine cannot run ${name} (${type}): ${reason}`);
}
