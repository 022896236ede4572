import { ArnFormat, Duration, Size, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  AwsIntegration,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
  TokenAuthorizer,
  type MethodOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal, type IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { bearerPattern } from '../../shared/domain/tokens/bearer.ts';
import { accessLogFormat, AccountLogRole } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { authorizerCacheTime } from './authorizer-cache-time.ts';
import { gatewayResponses, unknownRouteMock } from './gateway-responses.ts';
import type { StageSettings } from './stage-settings.ts';
import { apiFunctionPrefixOf, apiNameOf, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'requestsPerSecond' | 'requestBurst' | 'tracing' | 'accountLogRole'>;
  /** Where each access is logged. */
  accessLog: ILogGroup;
  authorizer: IFunction;
  routes: { endpoint: Endpoint; handler: IFunction }[];
}

const withoutTracing =
  'The setting tracing turns it on. Without it, too, each request is a line of log with its id and times, and no function calls another.';

/** From which size on answers are compressed, where the client takes it. */
const minCompressionBytes = 1024;

/** The REST API: a method per endpoint, the authorizer before all but the public ones, the envelope on every failure. */
export class Api extends RestApi {
  constructor(scope: Construct, id: string, { stage, settings, accessLog, authorizer, routes }: Props) {
    super(scope, id, {
      restApiName: apiNameOf(stage),
      description: 'Sales Pipeline Service',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: settings.requestsPerSecond,
        throttlingBurstLimit: settings.requestBurst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        tracingEnabled: settings.tracing,
      },
      // `AccountLogRole`.
      cloudWatchRole: false,
      minCompressionSize: Size.bytes(minCompressionBytes),
    });
    const { accountLogRole } = settings;
    // CloudFormation makes no stage with an access log where the account has no role for it.
    if (accountLogRole !== 'keep')
      this.deploymentStage.node.addDependency(new AccountLogRole(this, 'AccountLogRole', accountLogRole));
    const invoker = this.#invoker(apiFunctionPrefixOf(stage));
    const tokenAuthorizer = new TokenAuthorizer(this, 'TokenAuthorizer', {
      handler: authorizer,
      assumeRole: invoker,
      validationRegex: bearerPattern,
      resultsCacheTtl: Duration.seconds(authorizerCacheTime),
    });
    const authorized: MethodOptions = {
      authorizer: tokenAuthorizer,
      authorizationType: AuthorizationType.CUSTOM,
    };
    const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
    for (const { endpoint, handler } of routes) {
      const isPublic = endpoint.scope === 'public';
      const method = this.root
        .resourceForPath(endpoint.path)
        .addMethod(endpoint.method, functionIntegration(handler, invoker), isPublic ? open : authorized);
      if (isPublic) acknowledge(method, { 'AwsSolutions-APIG4': 'Its contract says that it is public.' });
    }
    // `{proxy+}` is every path and method but those above, at any depth; only `/` is none of it.
    for (const resource of [this.root, this.root.addResource('{proxy+}')])
      resource.addMethod('ANY', unknownRouteMock.integration, unknownRouteMock.options);
    for (const [name, response] of Object.entries(gatewayResponses)) this.addGatewayResponse(name, response);
    this.#acknowledgeFindings();
    if (!settings.tracing) acknowledge(this, { 'Serverless-APIGWXrayEnabled': withoutTracing });
  }

  #acknowledgeFindings(): void {
    acknowledge(this, {
      'AwsSolutions-APIG6':
        'The access log has a line for each request. The execution log would repeat tokens and what clients send.',
      'AwsSolutions-APIG2':
        'Each function checks its requests against its contract, which says more than a model can.',
      'AwsSolutions-COG4':
        'Callers are other systems: a function checks their tokens, which organizations can revoke.',
    });
    for (const unknownRoute of this.methods.filter(({ httpMethod }) => httpMethod === 'ANY')) {
      acknowledge(unknownRoute, { 'AwsSolutions-APIG4': 'It answers 404, and reaches nothing.' });
    }
  }

  /**
   * The role by which API Gateway invokes every function of the API: with some ninety of them, a permission for each
   * would fill the stack, and a list of their ARNs the policy.
   */
  #invoker(functionPrefix: string): IRole {
    const functions = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: `${functionPrefix}*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const statement = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functions] });
    // A deployment invokes functions by the names that they had when it was made: other names need another.
    this.latestDeployment?.addToLogicalId({ functionPrefix });
    const role = new Role(this, 'InvokeRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [statement] }) },
    });
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${functionPrefix}*]`]:
        "The prefix is that of this API's functions, and of no others.",
    });
    // So that the authorizer does not add a policy of its own.
    return role.withoutPolicyUpdates();
  }
}

/** The integration of a function, without the permission that `LambdaIntegration` adds for each method. */
function functionIntegration(handler: IFunction, credentialsRole: IRole): AwsIntegration {
  return new AwsIntegration({
    proxy: true,
    service: 'lambda',
    path: `2015-03-31/functions/${handler.functionArn}/invocations`,
    options: { credentialsRole },
  });
}
