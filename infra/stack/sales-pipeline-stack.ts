import { CfnOutput, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { isKeyed } from '../../shared/contract/endpoint.ts';
import { acknowledge } from './acknowledge.ts';
import { ApiDomain } from './api-domain.ts';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { authorizer, camel, pascal, type Contracts } from '../functions.ts';
import { refuseDeployment } from './sam-local.ts';
import { ServiceFunction } from './service-function.ts';
import { BackgroundWorker } from './background-worker.ts';
import { checkReservations, type StageSettings } from './stage-settings.ts';
import {
  apiFunctionPrefixOf,
  baseUrlOutput,
  logGroupNameOf,
  tableNameOutput,
  type LogKind,
  type Stage,
} from './stage.ts';
import { sendingSms, SmsConfiguration } from './sms.ts';
import { LedgerTable, removalPolicyOf } from './table.ts';
import { WebAcl } from './web-acl.ts';
import { Watch } from './watch/watch.ts';
import { WorkerPolicies } from './worker-policies.ts';

interface Props {
  stage: Stage;
  settings: StageSettings;
  contracts: Pick<Contracts, 'operations' | 'workers'>;
  /** Code of each function, by its entry file. */
  code: ReadonlyMap<string, Bundle>;
}

const withoutWebAcl = {
  'AwsSolutions-APIG3':
    'The setting webAcl makes or names one. Without it, too, the rate is limited, every call but of what is public needs a token, and every body is checked.',
};

/**
 * The whole service: one table, the API with one function per endpoint, and the workers with their triggers.
 */
export class SalesPipelineStack extends Stack {
  constructor(scope: Construct, id: string, { stage, settings, contracts, code }: Props) {
    super(scope, id, { terminationProtection: stage !== 'dev' });
    checkReservations(
      settings,
      contracts.operations.map(({ operationId }) => operationId),
    );
    const table = new LedgerTable(this, 'Table', { stage, settings });
    const logGroup = (id: string, kind: LogKind) =>
      new LogGroup(this, id, {
        logGroupName: logGroupNameOf(stage, kind),
        retention: settings.logRetentionDays,
        removalPolicy: removalPolicyOf(stage),
      });
    const apiLogs = logGroup('ApiLogs', 'api');
    const workerLogs = logGroup('WorkerLogs', 'workers');
    const accessLog = logGroup('AccessLog', 'access');
    const sms = sendingSms(this, { stage, identity: settings.smsOriginationIdentity });
    const functionOf = (entry: string) => {
      const bundle = code.get(entry);
      if (!bundle) throw new Error(`${entry} was not bundled`);
      return { stage, table, bundle, tracing: settings.tracing };
    };

    const keyed = contracts.operations.filter(({ endpoint }) => isKeyed(endpoint));
    const keyedPaths = keyed.map(({ endpoint }) => endpoint.path);
    const tokenAuthorizer = new ServiceFunction(this, 'Authorizer', {
      ...functionOf(authorizer.entry),
      logGroup: apiLogs,
      functionName: `${apiFunctionPrefixOf(stage)}Authorizer`,
      access: 'getGrant',
      environment: {
        KEYED_PATHS: keyedPaths.join(' '),
        REFUSED_TOKENS_PER_MINUTE: String(settings.refusedTokensPerAddressPerMinute),
      },
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
        reservedConcurrency: settings.reservedConcurrency[operationId],
        sms: endpoint.uses === 'sms' ? sms : undefined,
        ...(endpoint.takesForms && {
          environment: { FORMS_PER_KEY_PER_DAY: String(settings.formsPerKeyPerDay) },
        }),
        description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      }),
    }));
    const api = new Api(this, 'Api', { stage, settings, accessLog, authorizer: tokenAuthorizer, routes });
    const workers = contracts.workers.map(
      ({ worker, entry }) =>
        new BackgroundWorker(this, pascal(camel(worker.name)), {
          ...functionOf(entry),
          logGroup: workerLogs,
          worker,
          sms: worker.uses === 'sms' ? sms : undefined,
        }),
    );
    const { topicPolicy } = new WorkerPolicies(this, 'WorkerPolicies', workers);
    const users = [
      ...contracts.operations.map(({ endpoint }) => endpoint),
      ...workers.map(({ worker }) => worker),
    ];
    if (users.some(({ uses }) => uses === 'sms')) {
      const { topic } = workers.find((worker) => worker.topic) ?? {};
      new SmsConfiguration(this, 'Texts', { stage, topic, topicPolicy });
    }

    const { webAcl, domainName, certificateArn } = settings;
    const endpoints = routes.map(({ endpoint }) => endpoint);
    const ownWebAcl =
      webAcl === 'own' ? new WebAcl(this, 'OwnWebAcl', { stage, settings, endpoints }) : undefined;
    if (webAcl === 'none') acknowledge(api.deploymentStage, withoutWebAcl);
    else
      new CfnWebACLAssociation(this, 'WebAcl', {
        webAclArn: ownWebAcl?.attrArn ?? webAcl,
        resourceArn: api.deploymentStage.stageArn,
      });

    // The id is part of the topic's logical id. Another id would make a new topic, without the confirmed
    // subscriptions.
    const blockedByKey = ownWebAcl?.blockedByKey;
    new Watch(this, 'Alarms', { stage, settings, accessLog, table, workers, blockedByKey });

    if (domainName !== undefined && certificateArn !== undefined)
      new ApiDomain(this, 'Domain', { api, domainName, certificateArn });

    if (stage === 'local') refuseDeployment(this);
    new CfnOutput(this, baseUrlOutput, { value: api.url, description: 'Where the API is' });
    new CfnOutput(this, tableNameOutput, { value: table.tableName, description: 'Where everything is kept' });
  }
}
