import { ArnFormat, CfnOutput, type Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { isKeyed } from '../../shared/contract/endpoint.ts';
import { acknowledge } from './acknowledge.ts';
import { ApiDomain } from './api-domain.ts';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { authorizer, functionNameOf, pascal, type Contracts } from '../functions.ts';
import { callingFunctions } from './invoking.ts';
import { ServiceFunction, type ServiceUse } from './service-function.ts';
import { BackgroundWorker } from './background-worker.ts';
import { LeadingKeysProbe } from './leading-keys-probe.ts';
import { checkReservations, isInStage, type StageSettings } from './settings-schema.ts';
import {
  apiFunctionPrefixOf,
  baseUrlOutput,
  logGroupNameOf,
  parameterNameOf,
  probeRoleOutput,
  topicNameOf,
  type LogKind,
  type ParameterKind,
  type TopicKind,
} from './resource-names.ts';
import type { Stage } from './stage.ts';
import { StageStack } from './stage-stack.ts';
import { sendingSms, SmsConfiguration } from './sms.ts';
import { limitsOf, policyHeader } from './rate-limits.ts';
import { usesOfWebhooks } from './webhooks.ts';
import { WebAcl } from './web-acl.ts';
import { Watch } from './watch/watch.ts';
import { SynthesisError } from '../synthesis-error.ts';

interface Props {
  stage: Stage;
  settings: StageSettings;
  contracts: Pick<Contracts, 'operations' | 'workers' | 'publicFunctions'>;
  /** Code of each function, by its entry file. */
  code: ReadonlyMap<string, Bundle>;
  /** Stack of the data, which is deployed first, and deleted last. */
  data: Stack;
}

const withoutWebAcl = {
  'AwsSolutions-APIG3':
    'The setting webAcl makes or names one. Without it, too, the rate is limited, every call but of what is public needs a token, and every body is checked.',
};

/**
 * The service: the API with one function per endpoint, and the workers with their triggers. All of the
 * service can be made anew. The service finds the data's resources by their names, so that no change of the
 * service can touch them.
 */
export class ServiceStack extends StageStack {
  constructor(scope: Construct, id: string, { stage, settings, contracts, code, data }: Props) {
    super(scope, id, { stage, settings, terminationProtection: false });
    this.addStackDependency(data);
    const { tracing, requireLeadingKeys } = settings;
    checkReservations(
      settings,
      contracts.operations.map(({ operationId }) => operationId),
    );
    const deployed = contracts.workers.filter((served) => isInStage(served, settings));
    const workersHere = deployed.map(({ worker }) => worker);
    const users = [...contracts.operations.map(({ endpoint }) => endpoint), ...workersHere];
    const parameter = (kind: ParameterKind) =>
      StringParameter.valueForStringParameter(this, parameterNameOf(stage, kind));
    const table = TableV2.fromTableAttributes(this, 'Table', {
      tableName: settings.tableName,
      ...(workersHere.some(({ on }) => 'stream' in on) && { tableStreamArn: parameter('table-stream-arn') }),
    });
    const logGroup = (id: string, kind: LogKind) =>
      LogGroup.fromLogGroupName(this, id, logGroupNameOf(stage, kind));
    const apiLog = logGroup('ApiLog', 'api');
    const workersLog = logGroup('WorkersLog', 'workers');
    const accessLog = logGroup('AccessLog', 'access');
    const topic = (id: string, kind: TopicKind) => {
      const arnFormat = ArnFormat.NO_RESOURCE_NAME;
      const arn = this.formatArn({ service: 'sns', resource: topicNameOf(stage, kind), arnFormat });
      return Topic.fromTopicArn(this, id, arn);
    };
    const smsTopic = topic('TextsTopic', 'texts');
    const functionOf = (entry: string) => {
      const bundle = code.get(entry);
      if (!bundle) throw new Error(`${entry} was not bundled`);
      return { stage, table, bundle, tracing, requireLeadingKeys };
    };

    const functionPrefix = apiFunctionPrefixOf(stage);
    const names = [authorizer, ...contracts.operations, ...contracts.publicFunctions].map(functionNameOf);
    /** Services besides the table, as far as the stage has them. */
    const services: Partial<Record<ServiceUse['name'], ServiceUse | undefined>> = {
      sms: settings.sms ? sendingSms(this, { stage, identity: settings.smsOriginationIdentity }) : undefined,
      functions: settings.keepWarm ? callingFunctions(this, { functionPrefix, names }) : undefined,
      ...(users.some(({ uses = 'none' }) => /^webhook|^signingSecrets$/.test(uses)) &&
        usesOfWebhooks({ keyArn: parameter('secrets-key-arn'), queue: () => webhookQueueOf(workers) })),
    };
    const keyed = contracts.operations.filter(({ endpoint }) => isKeyed(endpoint));
    const keyedPaths = keyed.map(({ endpoint }) => endpoint.path);
    const tokenAuthorizer = new ServiceFunction(this, 'Authorizer', {
      ...functionOf(authorizer.entry),
      logGroup: apiLog,
      functionName: `${functionPrefix}Authorizer`,
      access: ['GetItem grant'],
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
        logGroup: apiLog,
        functionName: `${functionPrefix}${pascal(operationId)}`,
        access: endpoint.access,
        alsoWrites: endpoint.alsoWrites,
        reservedConcurrency: settings.reservedConcurrency[operationId],
        uses: endpoint.uses && services[endpoint.uses],
        environment: {
          ...((endpoint.takesForms ?? endpoint.takesEvents) && {
            FORMS_PER_KEY_PER_DAY: String(settings.formsPerKeyPerDay),
          }),
          // The template does not know the limits of another web ACL.
          ...(settings.webAcl === 'own' && {
            RATE_LIMIT_POLICY: policyHeader(limitsOf(endpoint, settings)),
          }),
        },
        description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      }),
    }));
    const publicFunctions = contracts.publicFunctions.map((served) => ({
      definition: served.definition,
      handler: new ServiceFunction(this, functionNameOf(served), {
        ...functionOf(served.entry),
        logGroup: apiLog,
        functionName: `${functionPrefix}${functionNameOf(served)}`,
        access: 'none',
        description: served.definition.summary,
      }),
    }));
    const api = new Api(this, 'Api', {
      stage,
      settings,
      accessLog,
      functionPrefix,
      authorizer: tokenAuthorizer,
      routes,
      publicFunctions,
    });
    const workers: BackgroundWorker[] = deployed.map(
      (served) =>
        new BackgroundWorker(this, functionNameOf(served), {
          ...functionOf(served.entry),
          logGroup: workersLog,
          worker: served.worker,
          smsTopic,
          uses: served.worker.uses && services[served.worker.uses],
        }),
    );
    if (settings.sms && users.some(({ uses }) => uses === 'sms'))
      new SmsConfiguration(this, 'Texts', { stage, topic: smsTopic });

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

    const alarmTopic = topic('AlarmTopic', 'alarms');
    const blockedByKey = ownWebAcl?.blockedByKey;
    new Watch(this, 'Alarms', { stage, settings, accessLog, alarmTopic, workers, endpoints, blockedByKey });

    if (domainName !== undefined && certificateArn !== undefined)
      new ApiDomain(this, 'Domain', { api, domainName, certificateArn });

    new CfnOutput(this, baseUrlOutput, { value: api.url, description: 'Where the API is' });
    if (settings.like === 'dev') {
      const { roleArn } = new LeadingKeysProbe(this, 'LeadingKeysProbe', { table });
      new CfnOutput(this, probeRoleOutput, { value: roleArn, description: 'Role of npm run test:deployed' });
    }
  }
}

/** Queue of the worker that sends webhooks. */
function webhookQueueOf(workers: readonly BackgroundWorker[]): IQueue {
  const queue = workers.find(({ worker }) => worker.uses === 'webhooks')?.queue;
  if (!queue) throw new SynthesisError('A function queues webhooks, but no worker sends them');
  return queue;
}
