import { DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { GetAccountCommand } from '@aws-sdk/client-api-gateway';
import {
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, ListLayersCommand } from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand } from '@aws-sdk/client-sns';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { ListWebACLsCommand } from '@aws-sdk/client-wafv2';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import {
  dataStackNameOf,
  logGroupNameOf,
  logKinds,
  queueNameOf,
  stackNameOf,
  topicNameOf,
  type QueueKind,
  type TopicKind,
} from '../../stack/resource-names.ts';
import { optionsOf, type Stage } from '../../stack/stage.ts';
import { counted } from '../output.ts';
import { found, quotaOf, seen, Unseen, type Account } from './account.ts';
import { backupCopy } from './backup-copy.ts';
import { senders, sms } from './checks-of-sms.ts';
import { alarmEmails, recovery } from './checks-of-watching.ts';
import { fine, mind, stops, type Check, type Plan } from './check.ts';

/** Runtime of every function. */
export const runtime = 'nodejs24.x';

/**
 * Parameter with the version of the bootstrap, and the version that deployments need.
 * https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html
 */
export const bootstrap = { parameter: '/cdk-bootstrap/hnb659fds/version', version: 6 };

const bootstrapped: Check = {
  name: 'CDK bootstrap',
  ask: async ({ account }) => {
    const { id, region, ssm } = account;
    const command = `run "npx cdk bootstrap aws://${id}/${region}"`;
    const answer = await found(
      'ssm:GetParameter',
      ssm.send(new GetParameterCommand({ Name: bootstrap.parameter })),
      /^ParameterNotFound/,
    );
    const version = Number(answer?.Parameter?.Value ?? 0);
    if (version >= bootstrap.version) return fine(`version ${version}`);
    return stops(
      version === 0
        ? `this account and region have none: ${command}`
        : `version ${version} is older than ${bootstrap.version}, which deployments need: ${command}`,
    );
  },
};

const noStack = /^ValidationError: .*does not exist/;

/** A stack of the account. Undefined if there is none. */
async function stackCalled(name: string, { cloudFormation }: Account): Promise<Stack | undefined> {
  const answer = await found(
    'cloudformation:DescribeStacks',
    cloudFormation.send(new DescribeStacksCommand({ StackName: name })),
    noStack,
  );
  return answer?.Stacks?.[0];
}

/** States of a stack that the CDK updates. */
const updatable = /^(CREATE|(UPDATE|IMPORT)(_ROLLBACK)?)_COMPLETE$/;
/** States after a first deployment that failed. The CDK deletes such a stack, and creates it anew. */
const neverCreated = /^ROLLBACK_(COMPLETE|FAILED)$/;

const earlierStack = (nameOf: (stage: Stage) => string, what: string): Check => ({
  name: what,
  ask: async ({ stage, settings, account }) => {
    const name = nameOf(stage);
    const stack = await stackCalled(name, account);
    const { StackStatus: status = '', EnableTerminationProtection: isProtected = false } = stack ?? {};
    if (!stack) return fine(`there is no ${name} yet`);
    if (updatable.test(status)) return fine(`${name} is there (${status}) and can be deployed again`);
    // A change set that nobody carried out: the CDK makes another.
    if (status === 'REVIEW_IN_PROGRESS') return fine(`${name} has nothing in it yet (${status})`);
    if (status.endsWith('_IN_PROGRESS'))
      return stops(`${name} is at work (${status}): wait until it is done`);
    if (neverCreated.test(status))
      return isProtected
        ? stops(
            `${name} was never created (${status}) and is protected: docs/operations.md, A first deployment that failed`,
          )
        : mind(
            `${name} was never created (${status}): the deployment deletes what is left, and creates it anew`,
          );
    if (status === 'DELETE_FAILED')
      return stops(
        `${name} was not deleted (${status}): run "aws cloudformation delete-stack --stack-name ${name}" again`,
      );
    return stops(
      `${name} stopped half-way (${status}): run "npx cdk rollback ${name} ${optionsOf(stage, settings.like)}"`,
    );
  },
});

/** Physical ids of the resources of the data's stack. */
async function heldByData({ stage, account }: Plan): Promise<Set<string | undefined>> {
  const answer = await found(
    'cloudformation:DescribeStackResources',
    account.cloudFormation.send(new DescribeStackResourcesCommand({ StackName: dataStackNameOf(stage) })),
    noStack,
  );
  // A resource that a failed or deleted stack retained has a status of its deletion.
  const held = answer?.StackResources?.filter(
    ({ ResourceStatus = '' }) => !ResourceStatus.startsWith('DELETE_'),
  );
  return new Set(held?.map(({ PhysicalResourceId }) => PhysicalResourceId));
}

/**
 * Check that no resource that an earlier stack left has one of the data's fixed names.
 *
 * @param present physical ids of the resources with these names in the account
 */
const leftOver = (name: string, present: (plan: Plan) => Promise<string[]>): Check => ({
  name,
  ask: async (plan) => {
    const { stage, settings } = plan;
    const ids = await present(plan);
    if (ids.length === 0) return fine('its name is free');
    const held = await heldByData(plan);
    const left = ids.filter((id) => !held.has(id));
    if (left.length === 0) return fine(`of the stack ${dataStackNameOf(stage)}`);
    // Only other stages retain something.
    const kept = settings.like === 'dev' ? '' : ', or keep it: docs/operations.md, The kept table';
    return stops(`${left.join(', ')} without the stack ${dataStackNameOf(stage)}: delete it${kept}`);
  },
});

const table = leftOver('Table', async ({ settings: { tableName: TableName }, account: { dynamoDb } }) => {
  const call = dynamoDb.send(new DescribeTableCommand({ TableName }));
  return (await found('dynamodb:DescribeTable', call, /^ResourceNotFound/)) ? [TableName] : [];
});

const logGroups = leftOver('Log groups', async ({ stage, account: { logs } }) => {
  const call = logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: `/${stackNameOf(stage)}/` }));
  const { logGroups = [] } = await seen('logs:DescribeLogGroups', call);
  const present = logGroups.map(({ logGroupName }) => logGroupName);
  return logKinds.map((kind) => logGroupNameOf(stage, kind)).filter((name) => present.includes(name));
});

const topics = leftOver('Topics', async ({ stage, settings, account: { id, region, partition, sns } }) => {
  const kinds: readonly TopicKind[] = settings.sms ? ['alarms', 'texts'] : ['alarms'];
  const asked = kinds.map(async (kind) => {
    const TopicArn = `arn:${partition}:sns:${region}:${id}:${topicNameOf(stage, kind)}`;
    const call = sns.send(new GetTopicAttributesCommand({ TopicArn }));
    return (await found('sns:GetTopicAttributes', call, /^NotFound/)) ? [TopicArn] : [];
  });
  return (await Promise.all(asked)).flat();
});

const queues = leftOver('Queues', async ({ stage, account: { sqs } }) => {
  const kinds: readonly QueueKind[] = ['Queue', 'DeadLetters'];
  const asked = kinds.map(async (kind) => {
    const call = sqs.send(
      new GetQueueUrlCommand({ QueueName: queueNameOf(stage, receiveTextsWorker, kind) }),
    );
    const { QueueUrl } = (await found('sqs:GetQueueUrl', call, /QueueDoesNotExist|NonExistentQueue/)) ?? {};
    return QueueUrl === undefined ? [] : [QueueUrl];
  });
  return (await Promise.all(asked)).flat();
});

/** Concurrent invocations that Lambda keeps for functions without a reservation. */
const leftUnreserved = 100;

/** Fewest concurrent invocations of an account with a stage like `prod`. With fewer, a few slow requests stop all. */
const neededLikeProd = 100;

/**
 * New accounts have 10 instead of 1,000, and AWS leaves 100 unreserved:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const concurrency: Check = {
  name: 'Lambda concurrency',
  ask: async ({ settings, account }) => {
    const { AccountLimit } = await seen(
      'lambda:GetAccountSettings',
      account.lambda.send(new GetAccountSettingsCommand()),
    );
    const { ConcurrentExecutions: all, UnreservedConcurrentExecutions: free = all } = AccountLimit ?? {};
    if (all === undefined || free === undefined) throw new Unseen('Lambda names no limit of the account');
    const raise = 'ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)';
    const { like, reservedConcurrency, accountConcurrency } = settings;
    const has = `${counted(all)} invocations at once, of all functions of the region`;
    if (like === 'prod' && all < neededLikeProd)
      return stops(`${has}, but a stage like prod needs ${neededLikeProd}: ${raise}`);
    const reserved = Object.values(reservedConcurrency).reduce((sum, count) => sum + count, 0);
    if (reserved > 0 && free - reserved < leftUnreserved)
      return stops(
        `reservedConcurrency takes ${counted(reserved)} of ${counted(free)}, but ${leftUnreserved} must be left: reserve less, or ${raise}`,
      );
    return all === accountConcurrency
      ? fine(has)
      : mind(
          `${has}, but accountConcurrency is ${counted(accountConcurrency)}: set it to ${all}, or ${raise}`,
        );
  },
};

/**
 * Lambda has no call that lists its runtimes. Lambda refuses to filter by a runtime that it does not know:
 * https://docs.aws.amazon.com/lambda/latest/api/API_ListLayers.html No call tells whether a region has arm64:
 * most regions do. https://docs.aws.amazon.com/lambda/latest/dg/foundation-arch.html
 */
const knownRuntime: Check = {
  name: 'Lambda runtime',
  ask: async ({ account: { lambda, region } }) => {
    const call = lambda.send(new ListLayersCommand({ CompatibleRuntime: runtime, MaxItems: 1 }));
    return (await found('lambda:ListLayers', call, /^(InvalidParameterValue|Validation)/))
      ? fine(runtime)
      : stops(`Lambda does not know ${runtime} in ${region}: choose another region`);
  },
};

/**
 * API Gateway reports the limits of the region, also if they are a quarter of the usual limits:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const gatewayAccount = ({ apiGateway }: Account) =>
  seen('apigateway:GET on /account', apiGateway.send(new GetAccountCommand()));

const rates: Check = {
  name: 'API Gateway rate',
  ask: async ({ settings: { requestsPerSecond, requestBurst }, account }) => {
    const { rateLimit, burstLimit } = (await gatewayAccount(account)).throttleSettings ?? {};
    if (rateLimit === undefined || burstLimit === undefined)
      throw new Unseen('API Gateway names no limits of the account');
    const has = `${counted(rateLimit)} requests a second, ${counted(burstLimit)} at once, of all APIs of the region`;
    const beyond = [
      ...(requestsPerSecond > rateLimit ? [`requestsPerSecond is ${counted(requestsPerSecond)}`] : []),
      ...(requestBurst > burstLimit ? [`requestBurst is ${counted(requestBurst)}`] : []),
    ];
    return beyond.length === 0
      ? fine(has)
      : mind(
          `${has}, but ${beyond.join(' and ')}: lower it, or ask AWS for more (Service Quotas, Amazon API Gateway)`,
        );
  },
};

const logRole: Check = {
  name: 'API Gateway log role',
  ask: async ({ settings: { accountLogRole }, account }) => {
    const { cloudwatchRoleArn: present } = await gatewayAccount(account);
    if (accountLogRole === 'keep')
      return present === undefined
        ? stops('accountLogRole is keep, but the account has no role: say make, or the ARN of one')
        : fine(`stays ${present}`);
    if (present === undefined || present === accountLogRole) return fine('the deployment sets it');
    return mind(
      `the deployment replaces ${present} for every API of the region: accountLogRole keep leaves it`,
    );
  },
};

const writeUnits: Check = {
  name: 'DynamoDB write units',
  ask: async ({ settings: { maxWriteRequestUnits }, account }) => {
    // Table-level write throughput limit:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
    const quota = await quotaOf(account, { ServiceCode: 'dynamodb', QuotaCode: 'L-AB614373' });
    return maxWriteRequestUnits <= quota
      ? fine(`a table may take ${counted(quota)} a second`)
      : mind(
          `a table may take ${counted(quota)} a second, but maxWriteRequestUnits is ${counted(maxWriteRequestUnits)}: lower it, or ask AWS for more`,
        );
  },
};

const webAcls: Check = {
  name: 'WAF',
  isNeeded: ({ webAcl }) => webAcl === 'own',
  ask: async ({ stage, account }) => {
    const names: string[] = [];
    let next: string | undefined;
    do {
      const page = new ListWebACLsCommand({ Scope: 'REGIONAL', Limit: 100, NextMarker: next });
      const { WebACLs = [], NextMarker } = await seen('wafv2:ListWebACLs', account.waf.send(page));
      names.push(...WebACLs.map(({ Name = '' }) => Name));
      // AWS names a marker after the last page, too.
      next = WebACLs.length === 0 ? undefined : NextMarker;
    } while (next !== undefined);
    const name = stackNameOf(stage);
    if (names.includes(name)) {
      const stack = await stackCalled(name, account);
      return stack ? fine(`${name}: of the stack`) : stops(`a web ACL ${name} without its stack: delete it`);
    }
    // Web ACLs of a region: https://docs.aws.amazon.com/waf/latest/developerguide/limits.html
    const quota = await quotaOf(account, { ServiceCode: 'wafv2', QuotaCode: 'L-2EC3DE7B' });
    const has = `${names.length} of ${quota} web ACLs`;
    return names.length < quota
      ? fine(has)
      : stops(`${has} are there: delete one, ask AWS for more, or set webAcl to none or the ARN of one`);
  },
};

const certificate: Check = {
  name: 'Certificate',
  isNeeded: ({ certificateArn }) => certificateArn !== undefined,
  ask: async ({ settings: { domainName = '', certificateArn = '' }, account }) => {
    const { region, acm } = account;
    const [, , , its] = certificateArn.split(':');
    if (its !== region) return stops(`certificateArn is in ${its ?? ''}: name a certificate in ${region}`);
    const call = acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn }));
    const answer = await found('acm:DescribeCertificate', call, /^ResourceNotFound/);
    const {
      Status: status = 'unknown',
      DomainName,
      SubjectAlternativeNames = [],
    } = answer?.Certificate ?? {};
    if (!answer) return stops(`there is no ${certificateArn}: request it, or name another`);
    if (status !== 'ISSUED') return stops(`it is ${status}, not ISSUED: see why in AWS Certificate Manager`);
    const wildcard = domainName.replace(/^[^.]+/, '*');
    const covered = [DomainName, ...SubjectAlternativeNames];
    return covered.includes(domainName) || covered.includes(wildcard)
      ? fine(`issued for ${domainName}`)
      : stops(`it is for ${[...new Set(covered)].join(', ')}, not for ${domainName}: name another`);
  },
};

/** Checks in the order of the output. */
export const checks: readonly Check[] = [
  bootstrapped,
  earlierStack(dataStackNameOf, 'Data stack'),
  earlierStack(stackNameOf, 'Service stack'),
  table,
  logGroups,
  topics,
  queues,
  alarmEmails,
  recovery,
  backupCopy,
  knownRuntime,
  concurrency,
  rates,
  logRole,
  writeUnits,
  webAcls,
  sms,
  senders,
  certificate,
];
