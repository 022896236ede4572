import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  RestApi,
  TokenAuthorizer,
  type MethodOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { bearerPattern } from '../../shared/domain/tokens/bearer.ts';
import { authorizerCacheTime } from './authorizer-cache-time.ts';
import { gatewayResponses } from './gateway-responses.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  authorizer: IFunction;
  routes: { endpoint: Endpoint; handler: IFunction }[];
}

/** The REST API: a method per endpoint, the authorizer before all but the public ones, the envelope on every failure. */
export class Api extends RestApi {
  constructor(scope: Construct, id: string, { stage, authorizer, routes }: Props) {
    super(scope, id, {
      description: 'Sales Pipeline Service',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: { stageName: stage },
      cloudWatchRole: false,
    });
    const tokenAuthorizer = new TokenAuthorizer(this, 'TokenAuthorizer', {
      handler: authorizer,
      validationRegex: bearerPattern,
      resultsCacheTtl: Duration.seconds(authorizerCacheTime),
    });
    const authorized: MethodOptions = {
      authorizer: tokenAuthorizer,
      authorizationType: AuthorizationType.CUSTOM,
    };
    const open: MethodOptions = { authorizationType: AuthorizationType.NONE };
    for (const { endpoint, handler } of routes) {
      this.root
        .resourceForPath(endpoint.path)
        .addMethod(
          endpoint.method,
          new LambdaIntegration(handler, { allowTestInvoke: false }),
          endpoint.scope === 'public' ? open : authorized,
        );
    }
    for (const [name, response] of Object.entries(gatewayResponses)) this.addGatewayResponse(name, response);
  }
}
