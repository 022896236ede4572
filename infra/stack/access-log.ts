import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat, CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct, type IDependable } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * The fields of a line of the access log, and the variable of API Gateway that each holds. Each is `-` where API
 * Gateway has no value, such as `organization` of a request that was refused before the authorizer knew it.
 *
 * A client writes none of them but `requestId`, where it may have AWS take its own UUID. So no line holds a token, a query,
 * a body or a name: that is why there is the route and not the path, and the type of an error and not its message, which can
 * repeat the token.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
export const accessLogFields = {
  /** The `requestId` of the answer and of the function's line. */
  requestId: AccessLogField.contextRequestId(),
  /** API Gateway's own id, which no client can choose: in the answer `x-amz-apigw-id`. */
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  /** When it came: `22/Nov/2026:09:00:00 +0000`. */
  time: AccessLogField.contextRequestTime(),
  organization: AccessLogField.contextAuthorizer('organization'),
  method: AccessLogField.contextHttpMethod(),
  /** The path as the contract has it, `/v1/leads/{leadId}`; `/{proxy+}` is any that no endpoint has. */
  route: AccessLogField.contextResourcePath(),
  /** What the client was answered. */
  status: AccessLogField.contextStatus(),
  /** The type of the gateway response that answered in the place of a function: `UNAUTHORIZED`, `THROTTLED`. */
  refusedBy: AccessLogField.contextErrorResponseType(),
  /** From the request's arrival to its answer. */
  milliseconds: AccessLogField.contextResponseLatency(),
  /** From the call of the function to its answer, cold start included. */
  functionMilliseconds: AccessLogField.contextIntegrationLatency(),
  /** What Lambda answered, not the function: 200 also where the function failed, 429 where too many run at once. */
  functionStatus: AccessLogField.contextIntegrationStatus(),
  /** Lambda's id of the call, in the lines that Lambda itself writes: all that leads to a function that crashed. */
  functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
  /** How long the authorizer took. */
  authorizerMilliseconds: AccessLogField.contextAuthorizerLatency(),
  authorizerStatus: AccessLogField.contextAuthorizerStatus(),
  /** Lambda's id of the authorizer's call, as `functionRequestId`. */
  authorizerRequestId: AccessLogField.contextAuthorizerRequestId(),
  /** What the web ACL said: `WAF_ALLOW` or `WAF_BLOCK`. */
  webAcl: AccessLogField.contextWafResponseCode(),
} as const satisfies Record<string, string>;

/** A field of a line of the access log. */
export type AccessLogFieldName = keyof typeof accessLogFields;

/**
 * A line is JSON whose every value is a text, numbers too: API Gateway puts in what it has as it is, and `-` without
 * quotes would be no JSON. None of the values can hold a quote.
 */
export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(accessLogFields));

interface LogRoleProps {
  given: Exclude<StageSettings['accountLogRole'], 'keep'>;
  /** The account takes a role only where it has an API. */
  after: IDependable;
}

/**
 * The role by which API Gateway writes the logs of every API of an account and region: there is one, and no stage with
 * an access log can be made without it. So role and setting stay when the stack goes: other stages may log by them. Of
 * two stacks that make one, the later one's is used.
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
        'It is the policy that AWS keeps for this purpose: the role is for the logs of every API of the account.',
    });
    return role;
  }
}
