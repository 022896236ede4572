import { ArnFormat, CfnOutput, type Stack } from 'aws-cdk-lib/core';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic, type ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { isKeyed, type Endpoint } from '../../shared/contract/endpoint.ts';
import { acknowledge } from './acknowledge.ts';
import { ApiDomain } from './api-domain.ts';
import { Api } from './api.ts';
import type { Bundle } from '../bundle/bundle.ts';
import {
  authorizer,
  functionNameOf,
  pascal,
  type Contracts,
  type FunctionDefinition,
  type WorkerFunction,
} from '../functions.ts';
import { callingFunctions } from './invoking.ts';
import { ServiceFunction, type ServedTable, type ServiceUse } from './service-function.ts';
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
import { sendersIn, webhookServices, webhookUses } from './webhooks.ts';
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

/** Services that deployed functions use; `undefined` if a function uses the table alone. */
type Uses = ReadonlySet<ServiceUse['name'] | undefined>;
type Services = Partial<Record<ServiceUse['name'], ServiceUse | undefined>>;

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
  readonly #props: Props;
  readonly #functionPrefix: string;
  readonly #table: ServedTable;
  readonly #apiLog: ILogGroup;
  /** Maximum number of senders of webhooks that run at once. */
  readonly #senders: number;
  /** Empty until `#addWorkers`. */
  #workers: readonly BackgroundWorker[] = [];

  constructor(scope: Construct, id: string, props: Props) {
    const { stage, settings, contracts, data } = props;
    super(scope, id, { stage, settings });
    this.addStackDependency(data);
    checkReservations(
      settings,
      contracts.operations.map(({ operationId }) => operationId),
    );
    const deployed = contracts.workers.filter((served) => isInStage(served, settings));
    const workers = deployed.map(({ worker }) => worker);
    const endpoints = contracts.operations.map(({ endpoint }) => endpoint);
    const uses: Uses = new Set([...endpoints, ...workers].map(({ uses }) => uses));
    this.#props = props;
    this.#functionPrefix = apiFunctionPrefixOf(stage);
    this.#table = TableV2.fromTableAttributes(this, 'Table', {
      tableName: settings.tableName,
      ...(workers.some(({ on }) => 'stream' in on) && {
        tableStreamArn: this.#parameter('table-stream-arn'),
      }),
    });
    this.#apiLog = this.#log('api');
    this.#senders = sendersIn(settings.accountConcurrency);
    const accessLog = this.#log('access');
    const services = this.#servicesFor(uses);
    const api = new Api(this, 'Api', {
      stage,
      settings,
      accessLog,
      functionPrefix: this.#functionPrefix,
      authorizer: this.#addAuthorizer(),
      routes: this.#addEndpoints(services),
      publicFunctions: this.#addPublicFunctions(),
    });
    this.#workers = this.#addWorkers(deployed, services);
    if (settings.sms && uses.has('sms'))
      new SmsConfiguration(this, 'Texts', { stage, topic: this.#topic('TextsTopic', 'texts') });
    const blockedByKey = this.#addWebAcl(api, endpoints)?.blockedByKey;
    const alarmTopic = this.#topic('AlarmTopic', 'alarms');
    new Watch(this, 'Alarms', {
      stage,
      settings,
      accessLog,
      alarmTopic,
      workers: this.#workers,
      endpoints,
      blockedByKey,
    });
    const { domainName, certificateArn } = settings;
    if (domainName !== undefined && certificateArn !== undefined)
      new ApiDomain(this, 'Domain', { api, domainName, certificateArn });
    new CfnOutput(this, baseUrlOutput, { value: api.url, description: 'Where the API is' });
    if (settings.like === 'dev') {
      const { roleArn } = new LeadingKeysProbe(this, 'LeadingKeysProbe', { table: this.#table });
      new CfnOutput(this, probeRoleOutput, { value: roleArn, description: 'Role of npm run test:deployed' });
    }
  }

  #parameter(kind: ParameterKind): string {
    return StringParameter.valueForStringParameter(this, parameterNameOf(this.#props.stage, kind));
  }

  #log(kind: LogKind): ILogGroup {
    return LogGroup.fromLogGroupName(this, `${pascal(kind)}Log`, logGroupNameOf(this.#props.stage, kind));
  }

  #topic(id: string, kind: TopicKind): ITopic {
    const arnFormat = ArnFormat.NO_RESOURCE_NAME;
    const resource = topicNameOf(this.#props.stage, kind);
    return Topic.fromTopicArn(this, id, this.formatArn({ service: 'sns', resource, arnFormat }));
  }

  /** Services besides the table that functions use, as far as the stage has them. */
  #servicesFor(uses: Uses): Services {
    const { stage, settings, contracts } = this.#props;
    const functionPrefix = this.#functionPrefix;
    const names = [authorizer, ...contracts.operations, ...contracts.publicFunctions].map(functionNameOf);
    return {
      sms: settings.sms ? sendingSms(this, { stage, identity: settings.smsOriginationIdentity }) : undefined,
      functions: settings.keepWarm ? callingFunctions(this, { functionPrefix, names }) : undefined,
      ...(webhookUses.some((use) => uses.has(use)) &&
        webhookServices({
          keyArn: this.#parameter('secrets-key-arn'),
          queue: () => webhookQueueOf(this.#workers),
          senders: this.#senders,
        })),
    };
  }

  #functionOf(entry: string) {
    const { stage, settings, code } = this.#props;
    const bundle = code.get(entry);
    if (!bundle) throw new Error(`${entry} was not bundled`);
    const { tracing, requireLeadingKeys } = settings;
    return { stage, table: this.#table, bundle, tracing, requireLeadingKeys };
  }

  /** Properties of a function that API Gateway calls. */
  #apiFunctionOf(served: FunctionDefinition) {
    const functionName = `${this.#functionPrefix}${functionNameOf(served)}`;
    return { ...this.#functionOf(served.entry), logGroup: this.#apiLog, functionName };
  }

  #addAuthorizer(): ServiceFunction {
    const { settings, contracts } = this.#props;
    const keyed = contracts.operations.filter(({ endpoint }) => isKeyed(endpoint));
    return new ServiceFunction(this, 'Authorizer', {
      ...this.#apiFunctionOf(authorizer),
      access: ['GetItem grant', 'UpdateItem use'],
      environment: {
        KEYED_PATHS: keyed.map(({ endpoint }) => endpoint.path).join(' '),
        REFUSED_TOKENS_PER_MINUTE: String(settings.refusedTokensPerAddressPerMinute),
      },
      description: 'Maps a token to its organization',
    });
  }

  #addEndpoints(services: Services) {
    const { settings, contracts } = this.#props;
    return contracts.operations.map((served) => {
      const { operationId, endpoint } = served;
      const handler = new ServiceFunction(this, functionNameOf(served), {
        ...this.#apiFunctionOf(served),
        access: endpoint.access,
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
      });
      return { endpoint, handler };
    });
  }

  #addPublicFunctions() {
    return this.#props.contracts.publicFunctions.map((served) => {
      const { definition } = served;
      const handler = new ServiceFunction(this, functionNameOf(served), {
        ...this.#apiFunctionOf(served),
        access: 'none',
        description: definition.summary,
      });
      return { definition, handler };
    });
  }

  #addWorkers(deployed: readonly WorkerFunction[], services: Services): BackgroundWorker[] {
    const logGroup = this.#log('workers');
    return deployed.map(
      (served) =>
        new BackgroundWorker(this, functionNameOf(served), {
          ...this.#functionOf(served.entry),
          logGroup,
          worker: served.worker,
          senders: this.#senders,
          uses: served.worker.uses && services[served.worker.uses],
        }),
    );
  }

  /** Puts the web ACL of the settings before the API. Returns the stack's own web ACL, if there is one. */
  #addWebAcl(api: Api, endpoints: readonly Endpoint[]): WebAcl | undefined {
    const { stage, settings } = this.#props;
    const { webAcl } = settings;
    const { deploymentStage } = api;
    if (webAcl === 'none') {
      acknowledge(deploymentStage, withoutWebAcl);
      return undefined;
    }
    const own = webAcl === 'own' ? new WebAcl(this, 'OwnWebAcl', { stage, settings, endpoints }) : undefined;
    const webAclArn = own?.attrArn ?? webAcl;
    new CfnWebACLAssociation(this, 'WebAcl', { webAclArn, resourceArn: deploymentStage.stageArn });
    return own;
  }
}

/** Queue of the worker that sends webhooks. */
function webhookQueueOf(workers: readonly BackgroundWorker[]): IQueue {
  const queue = workers.find(({ worker }) => worker.uses === 'webhooks')?.queue;
  if (!queue) throw new SynthesisError('A function queues webhooks, but no worker sends them');
  return queue;
}
