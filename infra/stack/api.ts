import {
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { PublicFunction } from '../../shared/contract/public-function.ts';
import { accessLogFormat, AccountLogRole } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { apiDefinition } from './api-definition.ts';
import { invoking } from './invoking.ts';
import type { StageSettings } from './settings-schema.ts';
import { apiNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'requestsPerSecond' | 'requestBurst' | 'tracing' | 'accountLogRole'>;
  accessLog: ILogGroup;
  /** Prefix of the names of the authorizer and of all handlers, and of no other function. */
  functionPrefix: string;
  authorizer: IFunction;
  routes: { endpoint: Endpoint; handler: IFunction }[];
  publicFunctions: { definition: PublicFunction; handler: IFunction }[];
}

const withoutTracing =
  'The setting tracing turns it on. Without it, too, each request is a line of log with its id and times, and no function that serves a request calls another.';

/**
 * The REST API of one definition, `apiDefinition`, with its stage. One function is the authorizer for tokens of
 * the header and for keys of the query.
 */
export class Api extends SpecRestApi {
  constructor(scope: Construct, id: string, props: Props) {
    const { stage, settings, accessLog, functionPrefix, authorizer, routes, publicFunctions } = props;
    const definition = apiDefinition({
      stage,
      invoker: invokerOf(scope, `${id}InvokeRole`, functionPrefix).roleArn,
      authorizer: authorizer.functionArn,
      routes: routes.map(({ endpoint, handler }) => ({ endpoint, handler: handler.functionArn })),
      publicRoutes: publicFunctions.flatMap(({ definition, handler }) =>
        definition.routes.map((route) => ({ ...route, handler: handler.functionArn })),
      ),
    });
    super(scope, id, {
      restApiName: apiNameOf(stage),
      apiDefinition: ApiDefinition.fromInline(definition),
      // The import deletes parts that the definition no longer has. Otherwise, old binary types would stay. A
      // warning of the import does not undo it: AWS does not list the possible warnings, and `test:deployed`
      // asks for every answer.
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-import-api-errors-warnings.html
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // An import takes the type from here.
      // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-restapi.html
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
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
    });
    // A deployment invokes functions by the names that they had when it was made. Other names need another
    // deployment, as a change of the definition does.
    this.latestDeployment?.addToLogicalId({ functionPrefix });
    const { accountLogRole } = settings;
    // CloudFormation creates no stage with an access log if the account has no role for logs.
    if (accountLogRole !== 'keep') {
      const after = this.node.findChild('Resource');
      const logRole = new AccountLogRole(this, 'AccountLogRole', { given: accountLogRole, after });
      this.deploymentStage.node.addDependency(logRole);
    }
    acknowledge(this, {
      'AwsSolutions-APIG6':
        'The access log has a line for each request. The execution log would repeat tokens and what clients send.',
      'AwsSolutions-APIG2':
        'Each function checks its requests against its contract, which says more than a model can.',
    });
    if (!settings.tracing) acknowledge(this, { 'Serverless-APIGWXrayEnabled': withoutTracing });
  }
}

/** Makes the role that API Gateway uses to invoke every function of the API. */
function invokerOf(scope: Construct, id: string, functionPrefix: string): Role {
  const { policy, acknowledged } = invoking(scope, functionPrefix);
  const role = new Role(scope, id, {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { invoke: policy },
  });
  acknowledge(role, acknowledged);
  return role;
}
