import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { Alarms } from './alarms.ts';
import { ApiDomain } from './api-domain.ts';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { authorizer, camel, pascal, type Contracts } from '../functions.ts';
import { ServiceFunction } from './service-function.ts';
import { BackgroundWorker } from './background-worker.ts';
import { FunctionLogs } from './function-logs.ts';
import type { StageSettings } from './stage-settings.ts';
import { apiFunctionPrefixOf, baseUrlOutput, tableNameOutput, type Stage } from './stage.ts';
import { LedgerTable } from './table.ts';
import { WorkerPolicies } from './worker-policies.ts';

interface Props {
  stage: Stage;
  settings: StageSettings;
  contracts: Pick<Contracts, 'operations' | 'workers'>;
  /** The code of each function, by its entry. */
  code: ReadonlyMap<string, Bundle>;
}

const withoutWebAcl = {
  'AwsSolutions-APIG3':
    'A web ACL belongs to the account, which the setting webAclArn names. Without one, too, the rate is limited, every call needs a token, and every body is checked.',
};

/** The whole service: one table, one function per endpoint and the API before them, one per worker and what calls it. */
export class SalesPipelineStack extends Stack {
  constructor(scope: Construct, id: string, { stage, settings, contracts, code }: Props) {
    super(scope, id, { terminationProtection: stage !== 'dev' });
    const table = new LedgerTable(this, 'Table', { stage });
    const apiLogs = new FunctionLogs(this, 'ApiLogs', { stage, kind: 'api', settings });
    const workerLogs = new FunctionLogs(this, 'WorkerLogs', { stage, kind: 'workers', settings });
    const functionOf = (entry: string) => {
      const bundle = code.get(entry);
      if (!bundle) throw new Error(`${entry} was not bundled`);
      return { table, bundle };
    };

    const tokenAuthorizer = new ServiceFunction(this, 'Authorizer', {
      ...functionOf(authorizer.entry),
      logGroup: apiLogs,
      functionName: `${apiFunctionPrefixOf(stage)}Authorizer`,
      access: 'grant',
      description: 'Maps a token to its organization',
    });
    const routes = contracts.operations.map(({ operationId, endpoint, entry }) => ({
      endpoint,
      handler: new ServiceFunction(this, pascal(operationId), {
        ...functionOf(entry),
        logGroup: apiLogs,
        functionName: `${apiFunctionPrefixOf(stage)}${pascal(operationId)}`,
        access: endpoint.access,
        alsoWrites: endpoint.alsoWrites,
        smsFrom: endpoint.uses === 'sms' ? settings.smsOriginationIdentity : undefined,
        description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      }),
    }));
    const api = new Api(this, 'Api', { stage, settings, authorizer: tokenAuthorizer, routes });
    const workers = contracts.workers.map(
      ({ worker, entry }) =>
        new BackgroundWorker(this, pascal(camel(worker.name)), {
          ...functionOf(entry),
          stage,
          logGroup: workerLogs,
          worker,
        }),
    );
    new WorkerPolicies(this, 'WorkerPolicies', workers);

    const { alarmAddresses: addresses, webAclArn, domainName, certificateArn } = settings;
    if (addresses.length > 0)
      new Alarms(this, 'Alarms', { addresses, apiStage: api.deploymentStage, workers });
    if (webAclArn !== undefined)
      new CfnWebACLAssociation(this, 'WebAcl', { webAclArn, resourceArn: api.deploymentStage.stageArn });
    else acknowledge(api.deploymentStage, withoutWebAcl);
    if (domainName !== undefined && certificateArn !== undefined)
      new ApiDomain(this, 'Domain', { api, domainName, certificateArn });

    new CfnOutput(this, baseUrlOutput, { value: api.url, description: 'Where the API is' });
    new CfnOutput(this, tableNameOutput, { value: table.tableName, description: 'Where everything is kept' });
  }
}
