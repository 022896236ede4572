import { Duration } from 'aws-cdk-lib/core';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
  type AddToPrincipalPolicyResult,
} from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  dueIndex,
  listIndexes,
  permissionsOf,
  searchIndexes,
  type Permission,
  type Reach,
} from '../../shared/ledger/index.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { Worker } from '../../shared/contract/worker.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { acknowledge } from './acknowledge.ts';
import { runtimeOf } from './sam-local.ts';
import { stackNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

/** The table as functions use it. */
export type ServedTable = ITableV2;

/** Environment and permissions of a function that uses a service besides the table. */
export interface ServiceUse {
  name: NonNullable<Worker['uses'] | Endpoint['uses']>;
  environment: Record<string, string>;
  policy: PolicyDocument;
  /** Findings of cdk-nag about the policy, each with the reason why it stays. */
  acknowledged: Record<string, string>;
}

interface Props extends Reach {
  stage: Stage;
  functionName: string;
  /** Log group, which several functions share. */
  logGroup: ILogGroup;
  table: ServedTable;
  /** Undefined if the function uses the table alone. */
  uses?: ServiceUse | undefined;
  bundle: Bundle;
  /** Further environment variables. */
  environment?: Record<string, string>;
  description: string;
  /** True if AWS X-Ray traces the function. */
  tracing: boolean;
  requireLeadingKeys: boolean;
  /**
   * Number of invocations that may run at once, and that Lambda keeps free for the function. If undefined,
   * only the account's quota limits the number.
   */
  reservedConcurrency?: number | undefined;
  /** Timeout of an invocation. If undefined, the timeout of an endpoint. */
  timeoutSeconds?: number;
}

/**
 * Memory of each function in MB. Lambda assigns CPU by memory. More memory costs more and shortens cold
 * starts only slightly.
 */
export const functionMemory = 1024;

/** Timeout of an endpoint: below API Gateway's 29 s, with time for a writer to wait for its turn. */
const endpointTimeoutSeconds = 15;

/** One Lambda with its own role, which allows only its access and policies. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: Props) {
    const { stage, functionName, logGroup, table, access, uses, bundle, description } = props;
    const { tracing, reservedConcurrency, timeoutSeconds = endpointTimeoutSeconds } = props;
    const { architecture, environment } = runtimeOf(stage);
    const permissions = permissionsOf(props);
    const role = new FunctionRole(scope, `${id}Role`, {
      ...(permissions.length > 0 && { table: tablePolicy(permissions, props) }),
      ...(uses && { [uses.name]: uses.policy }),
    });
    // Without `CreateLogGroup`: a function that still runs while its stack is deleted would leave a group behind.
    logGroup.grantWrite(role);
    super(scope, id, {
      functionName,
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture,
      handler: 'index.handler',
      // Given, so that the CDK need not hash every file.
      code: Code.fromAsset(bundle.folder, { assetHash: bundle.hash }),
      memorySize: functionMemory,
      timeout: Duration.seconds(timeoutSeconds),
      environment: {
        METRICS_NAMESPACE: stackNameOf(stage),
        ...(access !== 'none' && { TABLE_NAME: table.tableName }),
        ...uses?.environment,
        ...props.environment,
        ...environment,
      },
      logGroup,
      ...(tracing && { tracing: Tracing.ACTIVE }),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      role,
    });
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'API Gateway waits for an endpoint, and tells the client of a failure. Events that a worker fails at go to its queue ' +
        'of dead letters, by its source or its failure destination.',
    });
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${logGroup.logGroupName}:*]`]:
        'These are the streams of the log that it writes.',
    });
    if (uses) acknowledge(role, uses.acknowledged);
    if (tracing) acknowledge(role, tracesOfAll);
    else acknowledge(this, withoutTracing);
  }
}

/**
 * Role of a function, with inline policies alone. The policy `lambda` has what the CDK grants: to write the
 * log and traces, to receive from a queue, and to send failed events. Otherwise, the CDK would make one more
 * resource for each such function.
 */
export class FunctionRole extends Role {
  readonly #granted: PolicyDocument;

  constructor(scope: Construct, id: string, policies: Record<string, PolicyDocument>) {
    const granted = new PolicyDocument();
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    super(scope, id, { assumedBy, inlinePolicies: { ...policies, lambda: granted } });
    this.#granted = granted;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#granted.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

const withoutTracing = {
  'Serverless-LambdaTracing':
    'The setting tracing turns it on. Without it, too, each request is a line of log with its id, its time and the capacity it used.',
};

const allTraces = 'Sending traces to X-Ray is not limited by resource: there is none to name.';
const tracesOfAll = {
  'AwsSolutions-IAM5[Resource::*]': allTraces,
  'Serverless-LambdaStarPermissions': allTraces,
};

/** Table of a policy, and the setting that its conditions depend on. */
interface PolicyProps {
  table: ServedTable;
  requireLeadingKeys: boolean;
}

/** Policy that allows only these permissions on the table and its indexes. */
export function tablePolicy(permissions: readonly Permission[], props: PolicyProps): PolicyDocument {
  const statements = permissions.map((permission) => statementFor(permission, props));
  return new PolicyDocument({ statements, minimize: true });
}

/**
 * Conditions:
 *
 * - `ForAllValues`: each key of a call must match one of the patterns. DynamoDB requires this operator:
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 * - `Null`: without it, `ForAllValues` also allows a call if DynamoDB names no key for the call:
 *   https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 *   The first page has `LeadingKeys` for GetItem, BatchGetItem, Query, PutItem, UpdateItem, DeleteItem and BatchWriteItem
 *   on a table. The page says nothing about parts of a transaction. Its example with an index does not say which partition
 *   key counts. If DynamoDB names no key there, `Null` would refuse each write and each list. So statements for these calls
 *   have `Null` only if the stage's `requireLeadingKeys` says that DynamoDB does name keys.
 * - `EnclosingOperation`: a transaction needs the permissions of its parts. A statement for parts allows no other call.
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
function statementFor(
  { action, on, keys, within }: Permission,
  { table, requireLeadingKeys }: PolicyProps,
): PolicyStatement {
  const isDocumented = on === 'table' && within === undefined;
  return new PolicyStatement({
    actions: [`dynamodb:${action}`],
    resources: resourcesOf(on, table),
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys].sort() },
      ...((isDocumented || requireLeadingKeys) && { Null: { 'dynamodb:LeadingKeys': 'false' } }),
      ...(within && { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': [within] } }),
    },
  });
}

/** ARNs to allow. A query needs permission on its index, not on the table. */
function resourcesOf(on: Permission['on'], { tableArn }: ServedTable): string[] {
  const indexArnOf = (name: string) => `${tableArn}/index/${name}`;
  switch (on) {
    case 'table':
      return [tableArn];
    case 'list indexes':
      return listIndexes.map(indexArnOf);
    case 'search indexes':
      return searchIndexes.map(indexArnOf);
    case 'due index':
      return [indexArnOf(dueIndex)];
  }
}
