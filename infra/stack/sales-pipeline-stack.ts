import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { authorizer, camel, pascal, type Contracts } from '../functions.ts';
import { ServiceFunction } from './service-function.ts';
import { BackgroundWorker } from './background-worker.ts';
import type { OriginationIdentity } from './sms.ts';
import { tableNameOutput, type Stage } from './stage.ts';
import { LedgerTable } from './table.ts';

interface Props extends StackProps {
  stage: Stage;
  smsFrom: OriginationIdentity | undefined;
  contracts: Pick<Contracts, 'operations' | 'workers'>;
  /** The code of each function, by its entry. */
  code: ReadonlyMap<string, Bundle>;
}

/** The whole service: one table, one function per endpoint and the API before them, one per worker and what calls it. */
export class SalesPipelineStack extends Stack {
  constructor(scope: Construct, id: string, { stage, smsFrom, contracts, code, ...props }: Props) {
    super(scope, id, props);
    const table = new LedgerTable(this, 'Table', { stage });
    const functionOf = (entry: string) => {
      const bundle = code.get(entry);
      if (!bundle) throw new Error(`${entry} was not bundled`);
      return { stage, table, bundle };
    };

    const tokenAuthorizer = new ServiceFunction(this, 'Authorizer', {
      ...functionOf(authorizer.entry),
      access: 'get',
      description: 'Maps a token to its organization',
    });
    const routes = contracts.operations.map(({ operationId, endpoint, entry }) => ({
      endpoint,
      handler: new ServiceFunction(this, pascal(operationId), {
        ...functionOf(entry),
        access: endpoint.access,
        smsFrom: endpoint.uses === 'sms' ? smsFrom : undefined,
        description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      }),
    }));
    const api = new Api(this, 'Api', { stage, authorizer: tokenAuthorizer, routes });
    for (const { worker, entry } of contracts.workers) {
      new BackgroundWorker(this, pascal(camel(worker.name)), { ...functionOf(entry), worker });
    }

    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'Where the API is' });
    new CfnOutput(this, tableNameOutput, { value: table.tableName, description: 'Where everything is kept' });
  }
}
