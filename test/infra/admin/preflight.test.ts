import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { bootstrap, runtime } from '../../../infra/admin/preflight/checks.ts';
import { admin } from '../../support/admin.ts';
import { getLead, synthesizeStacks, templateOf } from '../../support/template/made-up-stack.ts';
import {
  ok,
  okXml,
  refusal,
  refusalXml,
  stackOf,
  startAwsStandIn,
  stubAws,
  type AwsAnswer,
} from './aws-stand-in.ts';
import { refused } from './command-results.ts';
import { newFolder } from '../../support/new-folder.ts';

type Answers = Record<string, (input: string) => AwsAnswer>;

const account = '123456789012';
const noStack = (input: string) =>
  refusalXml(
    'ValidationError',
    `Stack with id ${new URLSearchParams(input).get('StackName') ?? ''} does not exist`,
  );
const quota = (values: Record<string, number>) => (input: string) => {
  const { QuotaCode } = JSON.parse(input) as { QuotaCode: string };
  return ok({ Quota: { QuotaCode, Value: values[QuotaCode] } });
};
const concurrency =
  (all: number, free = all) =>
  () =>
    ok({
      AccountLimit: { ConcurrentExecutions: all, UnreservedConcurrentExecutions: free },
      AccountUsage: {},
    });
const gateway = (rateLimit: number, burstLimit: number, role?: string) => () =>
  ok({ cloudwatchRoleArn: role, throttleSettings: { rateLimit, burstLimit }, features: ['UsagePlans'] });
const tier = (Value: string) => () => ok({ AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value }] });

/** An account without any obstacle to a deployment. */
const good: Answers = {
  GetCallerIdentity: () =>
    okXml(
      'GetCallerIdentity',
      `<Arn>arn:aws:iam::${account}:user/ann</Arn><UserId>A</UserId><Account>${account}</Account>`,
    ),
  GetParameter: () => ok({ Parameter: { Name: bootstrap.parameter, Type: 'String', Value: '30' } }),
  DescribeStacks: noStack,
  DescribeStackResources: noStack,
  DescribeTable: () => refusal('ResourceNotFoundException', 'Requested resource not found'),
  DescribeLogGroups: () => ok({ logGroups: [] }),
  GetTopicAttributes: () => refusalXml('NotFound', 'Topic does not exist', 404),
  GetQueueUrl: () => refusal('QueueDoesNotExist', 'The specified queue does not exist.'),
  ListSubscriptionsByTopic: () => refusalXml('NotFound', 'Topic does not exist', 404),
  DescribeContinuousBackups: () => refusal('TableNotFoundException', 'Table not found'),
  ListLayers: () => ok({ Layers: [] }),
  GetAccountSettings: concurrency(1000),
  GetAccount: gateway(10_000, 5000),
  GetServiceQuota: quota({ 'L-AB614373': 40_000, 'L-2EC3DE7B': 100 }),
  ListWebACLs: () => ok({ WebACLs: [] }),
  DescribeAccountAttributes: tier('PRODUCTION'),
  DescribeSpendLimits: () =>
    ok({ SpendLimits: [{ Name: 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT', EnforcedLimit: 50, MaxLimit: 50 }] }),
  DescribeRegistrations: () => ok({ Registrations: [] }),
  DescribePhoneNumbers: () => ok({ PhoneNumbers: [] }),
  DescribeSenderIds: () => ok({ SenderIds: [] }),
};

const paths: Record<string, string> = {
  '/2016-08-19/account-settings': 'GetAccountSettings',
  '/2018-10-31/layers': 'ListLayers',
  '/account': 'GetAccount',
};

/** Operation that a request asks for, by its header, its form or its path. */
function operationOf(body: string, { headers, url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.replace(/.*\./, '');
  return new URLSearchParams(body).get('Action') ?? paths[url.replace(/\/?(\?.*)?$/, '')] ?? url;
}

let answers: Answers;
const asked: string[] = [];
const aws = await startAwsStandIn((body, request) => {
  const operation = operationOf(body, request);
  asked.push(operation);
  return (answers[operation] ?? (() => refusal('UnknownOperationException', operation)))(body);
});
beforeEach(() => {
  asked.length = 0;
  answers = { ...good };
  stubAws({ AWS_ENDPOINT_URL: aws });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', aws);
});

/** Runs the command. Returns the exit code, and each line without the spaces of columns. */
async function preflight(options: string) {
  const { code, stdout, stderr } = await admin(`preflight ${options}`.trim().split(' '));
  expect(stderr).toBe('');
  return { code, lines: stdout.replaceAll(/ {2,}/g, ' ').trim().split('\n') };
}
const prod = (options = '') => preflight(`--stage prod -c alarmAddresses=a@b.example ${options}`);

const fine = [
  `fine Account ${account}, us-east-1, as arn:aws:iam::${account}:user/ann`,
  'fine CDK bootstrap version 30',
  'fine Data stack there is no SalesPipeline-prod-data yet',
  'fine Service stack there is no SalesPipeline-prod yet',
  'fine Table its name is free',
  'fine Log groups its name is free',
  'fine Topics its name is free',
  'fine Queues its name is free',
  'fine Alarm emails the deployment sends each address a link to confirm',
  'fine Point-in-time recovery the deployment turns it on',
  'fine Lambda runtime nodejs24.x',
  'fine Lambda concurrency 1,000 invocations at once, of all functions of the region',
  'fine API Gateway rate 10,000 requests a second, 5,000 at once, of all APIs of the region',
  'fine API Gateway log role the deployment sets it',
  'fine DynamoDB write units a table may take 40,000 a second',
  'fine WAF 0 of 100 web ACLs',
  'fine SMS production, $50 a month',
  'fine SMS registrations no number and no sender id yet',
];

test('an account in which all is ready gets a line for each check, and nothing stops', async () => {
  expect(await prod()).toEqual({
    code: 0,
    lines: [...fine, '', 'Nothing stops "npx cdk deploy --all -c stage=prod".'],
  });
});

test('a stage is asked for what its settings need, and for nothing else', async () => {
  answers = { ...good, GetAccountSettings: concurrency(10) };
  const { code, lines } = await preflight('--stage dev -c sms=false -c accountConcurrency=10');
  expect(code).toBe(0);
  expect(lines.join('\n')).not.toMatch(/WAF|SMS|Certificate/);
  expect(lines).toContain('fine Lambda concurrency 10 invocations at once, of all functions of the region');
  expect(asked).not.toContain('DescribeAccountAttributes');
  expect(asked).not.toContain('ListWebACLs');
});

test('a stage like prod is asked for what prod needs, and under its own names', async () => {
  const { code, lines } = await preflight('--stage staging -c like=prod -c alarmAddresses=none');
  expect(code).toBe(0);
  expect(lines).toContain('fine Data stack there is no SalesPipeline-staging-data yet');
  expect(lines).toContain('fine WAF 0 of 100 web ACLs');
  expect(lines.at(-1)).toBe('Nothing stops "npx cdk deploy --all -c stage=staging -c like=prod".');
});

/** The stack of data, with the status that a line names. */
const stackIn = (line: string) => ({
  DescribeStacks: (input: string) =>
    input.includes('-data')
      ? stackOf(/[A-Z_]{9,}/.exec(line)![0], {}, line.includes('is protected'))
      : noStack(input),
});
const table = {
  DescribeTable: () => ok({ Table: { TableName: 'SalesPipeline-prod', TableStatus: 'ACTIVE' } }),
};
const topic = `arn:aws:sns:us-east-1:${account}:SalesPipeline-prod-texts`;
const textsTopic = {
  GetTopicAttributes: (input: string) =>
    new URLSearchParams(input).get('TopicArn') === topic
      ? okXml('GetTopicAttributes', '<Attributes/>')
      : good['GetTopicAttributes']!(input),
};
const queue = `https://sqs.us-east-1.amazonaws.com/${account}/SalesPipeline-prod-ReceiveTextsDeadLetters`;
const letters = {
  GetQueueUrl: (input: string) =>
    input.includes('"SalesPipeline-prod-ReceiveTextsDeadLetters"')
      ? ok({ QueueUrl: queue })
      : good['GetQueueUrl']!(input),
};
const logGroups = {
  DescribeLogGroups: () =>
    ok({ logGroups: ['api', 'apis'].map((name) => ({ logGroupName: `/SalesPipeline-prod/${name}` })) }),
};
const held = (id: string, status: string) => ({
  DescribeStackResources: () =>
    okXml(
      'DescribeStackResources',
      `<StackResources><member><PhysicalResourceId>${id}</PhysicalResourceId><ResourceStatus>${status}</ResourceStatus></member></StackResources>`,
    ),
});
const alarmTopic = `arn:aws:sns:us-east-1:${account}:SalesPipeline-prod-alarms`;
const subscribed = (address: string, arn: string) => ({
  ListSubscriptionsByTopic: (input: string) => {
    const { TopicArn, NextToken } = Object.fromEntries(new URLSearchParams(input));
    expect(TopicArn).toBe(alarmTopic);
    return okXml(
      'ListSubscriptionsByTopic',
      NextToken === undefined
        ? '<Subscriptions/><NextToken>more</NextToken>'
        : `<Subscriptions><member><Protocol>email</Protocol><Endpoint>${address}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member></Subscriptions>`,
    );
  },
});
const recovering = (PointInTimeRecoveryStatus: string) => ({
  DescribeContinuousBackups: () =>
    ok({ ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } } }),
});
const role = `arn:aws:iam::${account}:role/logs`;
const certificate = `arn:aws:acm:us-east-1:${account}:certificate/0a1b`;
const domain = `-c domainName=api.example.com -c certificateArn=${certificate}`;
const certified = (Status: string, DomainName: string) => ({
  DescribeCertificate: () =>
    ok({
      Certificate: { CertificateArn: certificate, Status, DomainName, SubjectAlternativeNames: [DomainName] },
    }),
});
/** Registrations of these statuses, one on each page. */
const registered = (...statuses: string[]) => ({
  DescribeRegistrations: (input: string) => {
    const { NextToken = '0' } = JSON.parse(input) as { NextToken?: string };
    const at = Number(NextToken);
    const [RegistrationType, RegistrationId] = ['US_TEN_DLC_CAMPAIGN_REGISTRATION', `registration-${at}`];
    return ok({
      Registrations: [{ RegistrationType, RegistrationId, RegistrationStatus: statuses[at] }],
      NextToken: at + 1 < statuses.length ? String(at + 1) : undefined,
    });
  },
});
const senderId = (IsoCountryCode: string, Registered: boolean) => ({
  DescribeSenderIds: () => ok({ SenderIds: [{ SenderId: 'Corner', IsoCountryCode, Registered }] }),
});
const campaign = (at: number) => `US_TEN_DLC_CAMPAIGN_REGISTRATION registration-${at}`;
const own = 'SalesPipeline-prod-data';
const keptBy = 'or keep it: docs/operations.md, The kept table';

test.each<[line: string, answers: Answers, options?: string]>([
  [
    `stops CDK bootstrap this account and region have none: run "npx cdk bootstrap aws://${account}/us-east-1"`,
    { GetParameter: () => refusal('ParameterNotFound', '') },
  ],
  [
    `stops CDK bootstrap version 5 is older than 6, which deployments need: run "npx cdk bootstrap aws://${account}/us-east-1"`,
    { GetParameter: () => ok({ Parameter: { Value: '5' } }) },
  ],
  ...[
    'fine Data stack STACK is there (UPDATE_ROLLBACK_COMPLETE) and can be deployed again',
    'fine Data stack STACK has nothing in it yet (REVIEW_IN_PROGRESS)',
    'stops Data stack STACK is at work (UPDATE_IN_PROGRESS): wait until it is done',
    'mind Data stack STACK was never created (ROLLBACK_COMPLETE): the deployment deletes what is left, and creates it anew',
    'stops Data stack STACK was never created (ROLLBACK_COMPLETE) and is protected: docs/operations.md, A first deployment that failed',
    'stops Data stack STACK was not deleted (DELETE_FAILED): run "aws cloudformation delete-stack --stack-name STACK" again',
    'stops Data stack STACK stopped half-way (UPDATE_ROLLBACK_FAILED): run "npx cdk rollback STACK -c stage=prod"',
  ].map((line): [string, Answers] => [line.replaceAll('STACK', own), stackIn(line)]),
  [`stops Table SalesPipeline-prod without the stack ${own}: delete it, ${keptBy}`, table],
  [
    `stops Table SalesPipeline-prod without the stack ${own}: delete it, ${keptBy}`,
    { ...table, ...held('SalesPipeline-prod', 'DELETE_SKIPPED') },
  ],
  [`fine Table of the stack ${own}`, { ...table, ...held('SalesPipeline-prod', 'CREATE_COMPLETE') }],
  [`stops Log groups /SalesPipeline-prod/api without the stack ${own}: delete it, ${keptBy}`, logGroups],
  [`stops Topics ${topic} without the stack ${own}: delete it, ${keptBy}`, textsTopic],
  ['fine Topics its name is free', textsTopic, '-c sms=false'],
  [`stops Queues ${queue} without the stack ${own}: delete it, ${keptBy}`, letters],
  [`fine Queues of the stack ${own}`, { ...letters, ...held(queue, 'CREATE_COMPLETE') }],
  ['fine Alarm emails confirmed by a@b.example', subscribed('a@b.example', `${alarmTopic}:1`)],
  [
    'mind Alarm emails a@b.example gets no alarm until somebody follows the link in the email from AWS',
    subscribed('a@b.example', 'PendingConfirmation'),
  ],
  [
    `mind Alarm emails a@b.example has no subscription: deploy, or run "aws sns subscribe --topic-arn ${alarmTopic} --protocol email --notification-endpoint a@b.example"`,
    subscribed('c@d.example', `${alarmTopic}:1`),
  ],
  ['fine Point-in-time recovery on', recovering('ENABLED')],
  [
    'mind Point-in-time recovery off: run "aws dynamodb update-continuous-backups --table-name SalesPipeline-prod --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"',
    recovering('DISABLED'),
  ],
  [
    `stops Backup copy backupVaultArn is in ${account}, the account of the stage: name a vault in another account`,
    {},
    `-c backupVaultArn=arn:aws:backup:us-east-1:${account}:backup-vault:sales`,
  ],
  [
    'fine Backup copy in the account 210987654321, region us-west-2',
    {},
    '-c backupVaultArn=arn:aws:backup:us-west-2:210987654321:backup-vault:sales',
  ],
  [
    'stops Lambda runtime Lambda does not know nodejs24.x in us-east-1: choose another region',
    { ListLayers: () => refusal('ValidationException', "Value 'nodejs24.x' at 'compatibleRuntime' failed") },
  ],
  [
    'stops Lambda concurrency 99 invocations at once, of all functions of the region, but a stage like prod needs 100: ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)',
    { GetAccountSettings: concurrency(99) },
  ],
  [
    'mind Lambda concurrency 100 invocations at once, of all functions of the region, but accountConcurrency is 1,000: set it to 100, or ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)',
    { GetAccountSettings: concurrency(100) },
  ],
  [
    'stops Lambda concurrency reservedConcurrency takes 8 of 105, but 100 must be left: reserve less, or ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)',
    { GetAccountSettings: concurrency(1000, 105) },
    '-c reservedConcurrency=listLeads:5,createLead:3',
  ],
  [
    'mind API Gateway rate 500 requests a second, 250 at once, of all APIs of the region, but requestsPerSecond is 1,000 and requestBurst is 2,000: lower it, or ask AWS for more (Service Quotas, Amazon API Gateway)',
    { GetAccount: gateway(500, 250) },
  ],
  [
    'stops API Gateway log role accountLogRole is keep, but the account has no role: say make, or the ARN of one',
    {},
    '-c accountLogRole=keep',
  ],
  [
    `fine API Gateway log role stays ${role}`,
    { GetAccount: gateway(10_000, 5000, role) },
    '-c accountLogRole=keep',
  ],
  [
    `mind API Gateway log role the deployment replaces ${role} for every API of the region: accountLogRole keep leaves it`,
    { GetAccount: gateway(10_000, 5000, role) },
  ],
  [
    'mind DynamoDB write units a table may take 3,000 a second, but maxWriteRequestUnits is 4,000: lower it, or ask AWS for more',
    { GetServiceQuota: quota({ 'L-AB614373': 3000, 'L-2EC3DE7B': 100 }) },
  ],
  [
    'fine DynamoDB write units a table may take 5,000 a second',
    {
      GetServiceQuota: () => refusal('NoSuchResourceException', ''),
      GetAWSDefaultServiceQuota: quota({ 'L-AB614373': 5000, 'L-2EC3DE7B': 1 }),
    },
  ],
  [
    'stops WAF 2 of 2 web ACLs are there: delete one, ask AWS for more, or set webAcl to none or the ARN of one',
    {
      GetServiceQuota: quota({ 'L-AB614373': 40_000, 'L-2EC3DE7B': 2 }),
      ListWebACLs: (input) => {
        const { NextMarker } = JSON.parse(input) as { NextMarker?: string };
        const [name, next] = NextMarker === undefined ? ['a', 'a'] : NextMarker === 'a' ? ['b', 'b'] : [];
        return ok({ WebACLs: name === undefined ? [] : [{ Name: name }], NextMarker: next });
      },
    },
  ],
  [
    'stops WAF a web ACL SalesPipeline-prod without its stack: delete it',
    { ListWebACLs: () => ok({ WebACLs: [{ Name: 'SalesPipeline-prod' }] }) },
  ],
  [
    'mind SMS sandbox, $50 a month: texts go only to numbers that you verified, until AWS gives you production access',
    { DescribeAccountAttributes: tier('SANDBOX') },
  ],
  [
    `mind SMS registrations ${campaign(0)} is CREATED: submit it; ${campaign(2)} is REVIEWING: wait for the approval; ${campaign(3)} is REQUIRES_UPDATES: open it in the console of AWS End User Messaging; ${campaign(4)} is REQUIRES_AUTHENTICATION: follow the link in the email of the Campaign Registry`,
    registered('CREATED', 'COMPLETE', 'REVIEWING', 'REQUIRES_UPDATES', 'REQUIRES_AUTHENTICATION'),
  ],
  [
    'mind SMS registrations +12065550100 is PENDING: it cannot send until it is ACTIVE',
    {
      DescribePhoneNumbers: () => ok({ PhoneNumbers: [{ PhoneNumber: '+12065550100', Status: 'PENDING' }] }),
    },
  ],
  [
    'mind SMS registrations Corner is not registered in Australia: phones show "Unverified" in its place',
    senderId('AU', false),
  ],
  ['fine SMS registrations none waits, and 1 can send', senderId('AU', true)],
  ['fine SMS registrations none waits, and 1 can send', senderId('GB', false)],
  ['fine Certificate issued for api.example.com', certified('ISSUED', '*.example.com'), domain],
  [
    'stops Certificate it is PENDING_VALIDATION, not ISSUED: see why in AWS Certificate Manager',
    certified('PENDING_VALIDATION', 'api.example.com'),
    domain,
  ],
  [
    'stops Certificate it is for www.example.com, not for api.example.com: name another',
    certified('ISSUED', 'www.example.com'),
    domain,
  ],
  [
    `stops Certificate there is no ${certificate}: request it, or name another`,
    { DescribeCertificate: () => refusal('ResourceNotFoundException', '') },
    domain,
  ],
  [
    'stops Certificate certificateArn is in eu-west-1: name a certificate in us-east-1',
    {},
    domain.replace('us-east-1', 'eu-west-1'),
  ],
])('%s', async (line, changed, options) => {
  answers = { ...good, ...changed };
  const { code, lines } = await prod(options);
  expect(lines).toContain(line);
  expect(code).toBe(line.startsWith('stops') ? 1 : 0);
});

test('a stage that cannot be synthesized is told so, besides what its settings need otherwise', async () => {
  const { code, lines } = await preflight('--stage prod');
  expect(lines[0]).toMatch(
    /^stops Settings Nobody would learn that this stage is broken: say -c alarmAddresses=/,
  );
  expect(lines.slice(1, -2)).toEqual(fine.filter((line) => !line.startsWith('fine Alarm emails')));
  expect(code).toBe(1);
});

test('a region without the SMS provider has no such host', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2', 'http://sms-voice.example');
  const { lookup } = dns;
  const missing = Object.assign(new Error('getaddrinfo ENOTFOUND sms-voice.example'), { code: 'ENOTFOUND' });
  vi.spyOn(dns, 'lookup').mockImplementation((host: string, ...rest: unknown[]) => {
    if (host === 'sms-voice.example') (rest.at(-1) as (error: Error) => void)(missing);
    else (lookup as (...all: unknown[]) => void)(host, ...rest);
  });
  const { code, lines } = await prod();
  expect(lines).toContain(
    'stops SMS us-east-1 has no AWS End User Messaging SMS: set sms to false, or choose another region',
  );
  expect(code).toBe(1);
});

describe('what the principal may not see is a line of its own', () => {
  const denial = "User: ann is not authorized to perform this, and that's it";
  const xml = refusalXml('AccessDenied', denial, 403);
  const sns = refusalXml('AuthorizationError', denial, 403);
  const json = refusal('AccessDeniedException', denial);
  const rest = refusal('AccessDeniedException', denial, 403);
  const noQuota = { GetServiceQuota: () => refusal('NoSuchResourceException') };
  test.each<[operation: string, answer: AwsAnswer, name: string, action: string, changed?: Answers]>([
    ['GetParameter', json, 'CDK bootstrap', 'ssm:GetParameter'],
    ['DescribeStacks', xml, 'Service stack', 'cloudformation:DescribeStacks'],
    ['DescribeStackResources', xml, 'Table', 'cloudformation:DescribeStackResources', table],
    ['DescribeTable', json, 'Table', 'dynamodb:DescribeTable'],
    ['DescribeLogGroups', json, 'Log groups', 'logs:DescribeLogGroups'],
    ['GetTopicAttributes', sns, 'Topics', 'sns:GetTopicAttributes'],
    ['GetQueueUrl', json, 'Queues', 'sqs:GetQueueUrl'],
    ['ListSubscriptionsByTopic', sns, 'Alarm emails', 'sns:ListSubscriptionsByTopic'],
    ['DescribeContinuousBackups', json, 'Point-in-time recovery', 'dynamodb:DescribeContinuousBackups'],
    ['ListLayers', rest, 'Lambda runtime', 'lambda:ListLayers'],
    ['GetAccountSettings', rest, 'Lambda concurrency', 'lambda:GetAccountSettings'],
    ['GetAccount', rest, 'API Gateway log role', 'apigateway:GET on /account'],
    ['GetServiceQuota', json, 'DynamoDB write units', 'servicequotas:GetServiceQuota'],
    ['GetAWSDefaultServiceQuota', json, 'WAF', 'servicequotas:GetAWSDefaultServiceQuota', noQuota],
    ['ListWebACLs', json, 'WAF', 'wafv2:ListWebACLs'],
    ['DescribeAccountAttributes', json, 'SMS', 'sms-voice:DescribeAccountAttributes'],
    ['DescribeSpendLimits', json, 'SMS', 'sms-voice:DescribeSpendLimits'],
    ['DescribeCertificate', json, 'Certificate', 'acm:DescribeCertificate'],
  ])('%s', async (operation, answer, name, action, changed = {}) => {
    answers = { ...good, ...changed, [operation]: () => answer };
    const { code, lines } = await prod(operation === 'DescribeCertificate' ? domain : '');
    expect(lines).toContain(`unseen ${name} it cannot be seen: allow ${action}`);
    expect(code).toBe(1);
  });

  test('and so is what an answer that makes no sense hides', async () => {
    answers = {
      ...good,
      ListLayers: () => ({ status: 404, body: '<html>Not here</html>' }),
      GetAccount: () => ok({}),
      GetAccountSettings: () => ok({}),
      GetServiceQuota: () => ok({}),
      ListWebACLs: () => refusal('UnknownOperationException', 'No such operation'),
    };
    const { code, lines } = await prod();
    const unseen = lines.filter((line) => line.startsWith('unseen'));
    expect(unseen).toEqual([
      expect.stringMatching(
        /^unseen Lambda runtime it cannot be seen: lambda:ListLayers failed \(.+, status 404\)$/,
      ),
      'unseen Lambda concurrency it cannot be seen: Lambda names no limit of the account',
      'unseen API Gateway rate it cannot be seen: API Gateway names no limits of the account',
      'unseen DynamoDB write units it cannot be seen: the quota L-AB614373 has no value',
      'unseen WAF it cannot be seen: wafv2:ListWebACLs failed (No such operation, status 400)',
    ]);
    expect(lines.at(-1)).toBe('5 of 18 lines stop the deployment, or could not be seen.');
    expect(code).toBe(1);
  });
});

test.each([
  [
    'account=210987654321',
    `the credentials are of ${account}, but the stage is for 210987654321: set AWS_PROFILE`,
  ],
  ['region=eu-west-1', 'AWS_REGION is us-east-1, but the stage is for eu-west-1: set AWS_REGION'],
])('of another account or region nothing more is asked: %s', async (setting, sentence) => {
  const { code, lines } = await prod(`-c ${setting}`);
  expect(lines).toEqual([
    `stops Account ${sentence}`,
    '',
    '1 of 1 lines stop the deployment, or could not be seen.',
  ]);
  expect(code).toBe(1);
  expect(asked).toEqual(['GetCallerIdentity']);
});

test('scripts get the same as JSON', async () => {
  const { stdout } = await admin(['preflight', '--stage', 'dev', '--json']);
  const { checks, ...rest } = JSON.parse(stdout) as { checks: object[] };
  expect(rest).toEqual({ stage: 'dev', account, region: 'us-east-1' });
  expect(checks).toContainEqual({ name: 'CDK bootstrap', state: 'fine', sentence: 'version 30' });
});

test.each([
  [[], '--stage is required.\n'],
  [
    ['--local', '--stage', 'dev'],
    'An account is asked, not a table: say --stage, without --local and --table.\n',
  ],
  [
    ['--stage', 'staging'],
    'The stage "staging" has no settings of its own: add -c like=dev or -c like=prod, whose settings it takes. ' +
      'Or name a stage with settings: dev, prod, local.\n',
  ],
  [
    ['--stage', 'dev', '-c', 'stage=prod'],
    '--context must be a setting with its value, such as requestsPerSecond=20.\n',
  ],
])('mistakes are told in a sentence: %j', async (args, sentence) => {
  expect(await refused(['preflight', ...args])).toBe(sentence);
  expect(asked).toEqual([]);
});

test('credentials that AWS does not accept are told in a sentence', async () => {
  answers['GetCallerIdentity'] = () =>
    refusalXml('InvalidClientTokenId', 'The security token is invalid.', 403);
  expect(await refused(['preflight', '--stage', 'dev'])).toBe(
    'AWS does not accept the credentials (The security token is invalid): set AWS_PROFILE to a profile with others.\n',
  );
});

test('the bootstrap and the runtime that are asked for are those of the stacks', () => {
  const folder = newFolder();
  synthesizeStacks(folder, { stage: 'prod', contracts: { operations: [getLead], workers: [] } });
  const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    artifacts: Record<string, { properties?: Record<string, unknown> }>;
  };
  const needed = Object.values(artifacts).flatMap(({ properties = {} }) =>
    'requiresBootstrapStackVersion' in properties
      ? [[properties['bootstrapStackVersionSsmParameter'], properties['requiresBootstrapStackVersion']]]
      : [],
  );
  const functions = templateOf(folder).of('AWS::Lambda::Function');
  expect(new Set(needed.map(String))).toEqual(new Set([[bootstrap.parameter, bootstrap.version].join()]));
  expect(new Set(functions.map(([, { Properties }]) => Properties['Runtime']))).toEqual(new Set([runtime]));
});
