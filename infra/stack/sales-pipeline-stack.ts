import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { authorizerEntry, pascal, type Operation } from '../functions.ts';
import type { OriginationIdentity } from './sms.ts';
import { tableNameOutput, type Stage } from './stage.ts';
import { LedgerTable } from './table.ts';

interface Props extends StackProps {
  stage: Stage;
  smsFrom: OriginationIdentity | undefined;
  operations: Operation[];
  /** The code of each function, by its entry. */
  code: ReadonlyMap<string, Bundle>;
}

/** The whole service: one table, one function per endpoint, the API before them. */
export class SalesPipelineStack extends Stack {
  constructor(scope: Construct, id: string, { stage, smsFrom, operations, code, ...props }: Props) {
    super(scope, id, props);
    const table = new LedgerTable(this, 'Table', { stage });
    const bundleOf = (entry: string) => {
      const bundle = code.get(entry);
      if (!bundle) throw new Error(`${entry} was not bundled`);
      return bundle;
    };

    const authorizer = new EndpointFunction(this, 'Authorizer', {
      stage,
      table,
      access: 'get',
      bundle: bundleOf(authorizerEntry),
      description: 'Maps a token to its organization',
    });
    const routes = operations.map(({ operationId, endpoint, entry }) => ({
      endpoint,
      handler: new EndpointFunction(this, pascal(operationId), {
        stage,
        table,
        access: endpoint.access,
        smsFrom: endpoint.uses === 'sms' ? smsFrom : undefined,
        bundle: bundleOf(entry),
        description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      }),
    }));
    const api = new Api(this, 'Api', { stage, authorizer, routes });

    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'Where the API is' });
    new CfnOutput(this, tableNameOutput, { value: table.tableName, description: 'Where everything is kept' });
  }
}
