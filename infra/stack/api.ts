import { ArnFormat, Duration, Size, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  AwsIntegration,
  EndpointType,
  IdentitySource,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
  type IAuthorizer,
  type MethodOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal, type IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { accessLogFormat, AccountLogRole } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { gatewayResponses, unknownRouteMock } from './gateway-responses.ts';
import type { StageSettings } from './stage-settings.ts';
import { apiFunctionPrefixOf, apiNameOf, authorizerCacheTime, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'requestsPerSecond' | 'requestBurst' | 'tracing' | 'accountLogRole'>;
  accessLog: ILogGroup;
  authorizer: IFunction;
  routes: { endpoint: Endpoint; handler: IFunction }[];
}

const withoutTracing =
  'The setting tracing turns it on. Without it, too, each request is a line of log with its id and times, and no function calls another.';

/** Size from which API Gateway compresses an answer, if the client accepts that. */
const minCompressionBytes = 1024;

/**
 * Media types of bodies that functions get in Base64. As text, each byte of a file that is not UTF-8 would
 * become three, and a form with a photo of 2.5 MB would exceed Lambda's limit.
 */
const binaryTypes = ['multipart/form-data'];

/**
 * The REST API: a method per endpoint, an authorizer before all but the public ones, and the error envelope
 * on every failure. One function is the authorizer for tokens of the header and for keys of the query.
 */
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
      // `AccountLogRole` makes the role.
      cloudWatchRole: false,
      minCompressionSize: Size.bytes(minCompressionBytes),
      binaryMediaTypes: binaryTypes,
    });
    const { accountLogRole } = settings;
    // CloudFormation creates no stage with an access log if the account has no role for logs.
    if (accountLogRole !== 'keep') {
      const after = this.node.findChild('Resource');
      const logRole = new AccountLogRole(this, 'AccountLogRole', { given: accountLogRole, after });
      this.deploymentStage.node.addDependency(logRole);
    }
    const invoker = this.#invoker(apiFunctionPrefixOf(stage));
    const authorizerProps = {
      handler: authorizer,
      assumeRole: invoker,
      resultsCacheTtl: Duration.seconds(authorizerCacheTime),
    };
    // Type `REQUEST`, since an authorizer of type `TOKEN` does not learn the client's address.
    const token = new RequestAuthorizer(this, 'TokenAuthorizer', {
      ...authorizerProps,
      identitySources: [IdentitySource.header('Authorization')],
    });
    let key: RequestAuthorizer | undefined;
    // Created for the first endpoint that needs it: the CDK refuses an authorizer without a method.
    const keyAuthorizer = () =>
      (key ??= new RequestAuthorizer(this, 'KeyAuthorizer', {
        ...authorizerProps,
        identitySources: [IdentitySource.queryString('key')],
      }));
    for (const { endpoint, handler } of routes) {
      const resource = this.root.resourceForPath(endpoint.path);
      const integration = functionIntegration(handler, invoker);
      if (endpoint.scope === 'public') {
        const method = resource.addMethod(endpoint.method, integration, open);
        acknowledge(method, { 'AwsSolutions-APIG4': 'Its contract says that it is public.' });
        continue;
      }
      const authorized = authorizedBy(isKeyed(endpoint) ? keyAuthorizer() : token);
      resource.addMethod(endpoint.method, integration, authorized);
      // Browsers ask by `OPTIONS` before a page of another site sends a form. The query of that request has
      // the key, too.
      if (endpoint.takesForms) resource.addMethod('OPTIONS', integration, authorized);
    }
    // `{proxy+}` matches every path and method but those above, at any depth. It does not match `/`.
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
   * Role by which API Gateway invokes every function of the API. With some ninety functions, a permission for
   * each would fill the stack, and a list of their ARNs would exceed the policy's size.
   */
  #invoker(functionPrefix: string): IRole {
    const functions = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: `${functionPrefix}*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const statement = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functions] });
    // A deployment invokes functions by the names that they had when it was made. Other names need another
    // deployment.
    this.latestDeployment?.addToLogicalId({ functionPrefix });
    const role = new Role(this, 'InvokeRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [statement] }) },
    });
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${functionPrefix}*]`]:
        "The prefix is that of this API's functions, and of no others.",
    });
    // Prevents the authorizer from adding a policy of its own.
    return role.withoutPolicyUpdates();
  }
}

const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
const authorizedBy = (authorizer: IAuthorizer): MethodOptions => ({
  authorizationType: AuthorizationType.CUSTOM,
  authorizer,
});

/** Integrates a function without the permission that `LambdaIntegration` adds for each method. */
function functionIntegration(handler: IFunction, credentialsRole: IRole): AwsIntegration {
  return new AwsIntegration({
    proxy: true,
    service: 'lambda',
    path: `2015-03-31/functions/${handler.functionArn}/invocations`,
    options: { credentialsRole },
  });
}
