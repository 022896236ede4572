import { RemovalPolicy } from 'aws-cdk-lib/core';
import { AccessLogField, AccessLogFormat, CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct, type IDependable } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { StageSettings } from './settings-schema.ts';

/**
 * Fields of an access log line, each with the variable of API Gateway that it holds. A field without a value
 * is `-`, such as `organization` of a request that was refused before its token was known.
 *
 * A client can choose only the field `requestId`: AWS may take a UUID from the client. So no line holds a
 * token, a query, a body or a name. Therefore a line has the route instead of the path. A line has the type
 * of an error instead of the message, because the message can repeat the token.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
export const accessLogFields = {
  /** Same as the `requestId` of the answer and of the function's line. */
  requestId: AccessLogField.contextRequestId(),
  /** API Gateway's own id, which no client can choose. The answer has it as `x-amz-apigw-id`. */
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  /** Arrival of the request: `22/Nov/2026:09:00:00 +0000`. */
  time: AccessLogField.contextRequestTime(),
  organization: AccessLogField.contextAuthorizer('organization'),
  method: AccessLogField.contextHttpMethod(),
  /** Path of the contract, `/v1/leads/{leadId}`, or `/{proxy+}` for a path that no endpoint has. */
  route: AccessLogField.contextResourcePath(),
  /** Status of the answer that the client got. */
  status: AccessLogField.contextStatus(),
  /**
   * Type of the gateway response that API Gateway sent instead of a function's answer: `UNAUTHORIZED`,
   * `THROTTLED`.
   */
  refusedBy: AccessLogField.contextErrorResponseType(),
  /** Milliseconds from the request's arrival to its answer. */
  milliseconds: AccessLogField.contextResponseLatency(),
  /** Milliseconds from the call of the function to its answer, cold start included. */
  functionMilliseconds: AccessLogField.contextIntegrationLatency(),
  /** Status of Lambda, not of the function: 200 even if the function failed, 429 if too many ran at once. */
  functionStatus: AccessLogField.contextIntegrationStatus(),
  /**
   * Lambda's id of the call, as in Lambda's own log lines. Only this id leads to the lines of a function that
   * crashed.
   */
  functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
  /** Milliseconds that the authorizer took. */
  authorizerMilliseconds: AccessLogField.contextAuthorizerLatency(),
  authorizerStatus: AccessLogField.contextAuthorizerStatus(),
  /** Lambda's id of the authorizer's call. */
  authorizerRequestId: AccessLogField.contextAuthorizerRequestId(),
  /** Verdict of the web ACL: `WAF_ALLOW` or `WAF_BLOCK`. */
  webAcl: AccessLogField.contextWafResponseCode(),
} as const satisfies Record<string, string>;

export type AccessLogFieldName = keyof typeof accessLogFields;

/**
 * Format of a line: JSON with every value as a string, numbers too. API Gateway inserts values unchanged, and
 * `-` without quotes would be invalid JSON. None of the values can hold a quote.
 */
export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(accessLogFields));

interface LogRoleProps {
  given: Exclude<StageSettings['accountLogRole'], 'keep'>;
  /** The API, because an account accepts a role only if it has an API. */
  after: IDependable;
}

/**
 * Role that lets API Gateway write the logs of every API of an account and region. There is one per account
 * and region, and no stage with an access log can be created without it. The role and the setting stay when
 * the stack is deleted, because other stages may depend on them. If two stacks make a role, API Gateway uses
 * the role of the later stack.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-apigateway-account.html
 */
export class AccountLogRole extends Construct {
  constructor(scope: Construct, id: string, { given, after }: LogRoleProps) {
    super(scope, id);
    const account = new CfnAccount(this, 'Account', {
      cloudWatchRoleArn: given === 'make' ? this.#role().roleArn : given,
    });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    account.node.addDependency(after);
  }

  #role(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    acknowledge(role, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'AWS keeps this policy for this purpose: the role is for the logs of every API of the account.',
    });
    return role;
  }
}
