import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { trades } from '../../../infra/trades/trades.ts';
import { noHours } from '../../../shared/contract/opening-hours.ts';
import { dateIn } from '../../../shared/core/time-zones.ts';
import { admin } from '../../support/admin.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { clientFor, newOrganization, newPlainTable } from '../../support/test-organization.ts';
import { refusalXml, stackOf, startAwsStandIn, stubAws, type AwsAnswer } from './aws-stand-in.ts';
import { json, refused } from './command-results.ts';

/** Requests to the stand-in for CloudFormation. */
const asked: URLSearchParams[] = [];
let answer: AwsAnswer;
const cloudFormation = await startAwsStandIn((body) => {
  asked.push(new URLSearchParams(body));
  return answer;
});

const deployed = (tableName = inject('tableName'), outputs = {}) =>
  stackOf('UPDATE_COMPLETE', {
    TableName: tableName,
    TextsTopicArn: 'arn:aws:sns:us-east-1:1:Texts',
    ...outputs,
  });

const ours = await newOrganization();

beforeEach(() => {
  asked.length = 0;
  answer = deployed();
  stubAws({ AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation });
});

const found = [
  ...['organization', 'create', '--name', 'Harbour Plumbing', '--country', 'au'],
  ...['--owner-first-name', 'Mia', '--owner-last-name', 'Tran', '--owner-email', 'mia@example.com'],
];
const issue = (...more: string[]) => [
  ...['token', 'issue', '--stage', 'dev', '--organization', ours.code, '--name', 'Website'],
  ...more,
];

describe("a stage's table", () => {
  test.each([
    ['dev', {}, /^sk_test_\w{36}$/],
    ['prod', {}, /^sk_live_\w{36}$/],
    ['staging', { Like: 'dev' }, /^sk_test_\w{36}$/],
    ['staging', { Like: 'prod' }, /^sk_live_\w{36}$/],
  ])(
    'is found by the stack of %s %j, in one call; its tokens are told by their looks',
    async (stage, outputs, looks) => {
      answer = deployed(undefined, outputs);
      const founded = await json([...found, '--stage', stage]);
      expect(asked.map((parameters) => Object.fromEntries(parameters))).toMatchObject([
        { Action: 'DescribeStacks', StackName: `SalesPipeline-${stage}-data` },
      ]);
      expect(founded['token']).toMatch(looks);
      expect(founded['ownerId']).toBe(`user_${String(founded['organization'])}00000001`);
      const { lead } = await clientFor(founded.token).call('createLead', {
        body: { name: 'Ann', phone: '0491 570 156' },
      });
      expect(lead.phone).toBe('+61491570156');
    },
  );

  test('is the one that --table names, without a look at the stack', async () => {
    const tableName = await newPlainTable();
    const { code } = await newOrganization({ tableName: tableName });
    const verify = ['organization', 'verify', '--stage', 'prod', '--table', tableName, '--all'];
    const report = await json(verify);
    expect(report['organizations']).toMatchObject([{ organization: code, findings: [] }]);
    expect(report['strays']).toEqual([]);
    const nowhere = await admin([...verify, '--table', 'Nowhere']);
    expect(nowhere.stderr).toMatch(/^AWS refused the call: ResourceNotFoundException: [^\n]+\n$/);
    expect(asked).toEqual([]);
  });

  test('is named in the output of each command', async () => {
    const { stdout } = await admin([...found, '--stage', 'prod']);
    expect(stdout).toMatch(
      /^Harbour Plumbing is founded in the stage prod of us-east-1\.\n[^]+ {2}Token +sk_live_/,
    );
    expect(await refused(['token', 'list', '--stage', 'dev', '--organization', '00000000'])).toBe(
      'There is no organization 00000000 in the stage dev of us-east-1: check the code, and that it is from there.\n',
    );
  });

  test.each([
    [[], 'general', ['Services', 'Products']],
    [['--trade', 'roofing'], 'roofing', trades.roofing.categories.map(({ name }) => name)],
  ])('has organizations that begin with the records of their trade: %j', async (option, trade, names) => {
    const founded = await json([...found, '--stage', 'dev', ...option]);
    expect(founded['trade']).toBe(trade);
    const { categories, totalServices } = await clientFor(founded.token).call('listOrganizationServices');
    expect(categories.map(({ name }) => name)).toEqual(names);
    expect(totalServices).toBeGreaterThan(5);
    const { openingHours } = await clientFor(founded.token).call('getOrganization');
    expect(openingHours).toEqual({ ...noHours, ...trades.general.openingHours });
    expect(openingHours.monday).toHaveLength(1);
  });

  test('has organizations that count days in a time zone', async () => {
    const usual = await json([...found, '--stage', 'dev']);
    expect(usual['timeZone']).toBe('Australia/Sydney');
    const founded = await json([...found, '--stage', 'dev', '--time-zone', 'Australia/Perth']);
    expect(founded['timeZone']).toBe('Australia/Perth');
    const code = String(founded['organization']);
    const of = ['--stage', 'dev', '--organization', code];
    const set = ['organization', 'set-time-zone', ...of, '--time-zone', 'Pacific/Kiritimati'];
    const sentence = `The days of Harbour Plumbing (${code}) are counted in Pacific/Kiritimati from now on.\n`;
    // The second command changes nothing, in any spelling.
    for (const args of [set, set.map((arg) => arg.replace('Pacific', 'pacific'))])
      expect(await admin(args)).toMatchObject({ code: 0, stdout: sentence });
    const today = () => dateIn('Pacific/Kiritimati', Date.now());
    const before = today();
    const { days } = await clientFor(founded.token).call('getPipeline');
    expect([before, today()]).toContain(days[0]?.date);
    const nowhere = await admin([...set, '--organization', '00000000']);
    expect(nowhere.stderr).toContain('There is no organization 00000000');
    expect(await json(['organization', 'verify', ...of])).toMatchObject({ findings: 0 });
  });
});

describe('one sentence says what is missing', () => {
  test('the region', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    expect(await refused(issue())).toBe(
      'There is no AWS region: set AWS_REGION to the one that the stack is in, or AWS_PROFILE to a profile that has it.\n',
    );
    expect(asked).toEqual([]);
  });

  test('credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    expect(await refused(issue())).toMatch(
      /^There are no AWS credentials that work: set AWS_PROFILE to a profile that has them \([^\n]+\)\.\n$/,
    );
    expect(asked).toEqual([]);
  });

  test.each<[what: string, answer: AwsAnswer, sentence: string, stage?: string]>([
    [
      'the stack',
      refusalXml('ValidationError', 'Stack with id SalesPipeline-dev-data does not exist'),
      'There is no stack SalesPipeline-dev-data in us-east-1 of this AWS account: deploy it with "npx cdk deploy --all -c stage=dev", ' +
        'or set AWS_PROFILE and AWS_REGION to where it is.\n',
    ],
    [
      'the stack of a stage without settings of its own',
      refusalXml('ValidationError', 'Stack with id SalesPipeline-staging-data does not exist'),
      'There is no stack SalesPipeline-staging-data in us-east-1 of this AWS account: deploy it with ' +
        '"npx cdk deploy --all -c stage=staging -c like=…", or set AWS_PROFILE and AWS_REGION to where it is.\n',
      'staging',
    ],
    [
      'its output',
      stackOf('REVIEW_IN_PROGRESS', {}),
      'The stack SalesPipeline-dev-data in us-east-1 has no output TableName (it is REVIEW_IN_PROGRESS): ' +
        'deploy it with "npx cdk deploy --all -c stage=dev".\n',
    ],
    [
      'the permission to look it up',
      refusalXml('AccessDenied', 'User: x is not authorized to perform: y', 403),
      'The stack SalesPipeline-dev-data cannot be looked up in us-east-1 (User: x is not authorized to perform: y): ' +
        'check AWS_PROFILE, AWS_REGION and what you may do there.\n',
    ],
  ])('%s', async (_, given, sentence, stage = 'dev') => {
    answer = given;
    expect(await refused(issue('--stage', stage))).toBe(sentence);
  });

  test('CloudFormation itself', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', 'http://127.0.0.1:9');
    expect(await refused(issue())).toMatch(
      /^The stack SalesPipeline-dev-data cannot be looked up in us-east-1 \([^\n]*ECONNREFUSED[^\n]*\): check [^\n]+\n$/,
    );
  });

  test('the table', async () => {
    answer = deployed('Nowhere');
    expect(await refused(issue())).toMatch(/^AWS refused the call: ResourceNotFoundException: [^\n]+\n$/);
  });

  test('DynamoDB itself, retried for ten seconds', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    const startedAt = Date.now();
    const { system } = stoppedClock(startedAt);
    const { stderr } = await admin(issue(), system);
    expect(stderr).toMatch(
      /^DynamoDB did not carry it out in time \([^\n]*ECONNREFUSED[^\n]*\): nothing was changed, so try again\.\n$/,
    );
    expect(system.now() - startedAt).toBeGreaterThan(5000);
  });

  test('the user, and the token', async () => {
    const title = `Test (${ours.code})`;
    const stranger = ours.userId.replace(/.$/, '9');
    expect(await refused(issue('--user', stranger))).toBe(
      `There is no user ${stranger} in ${title}: leave --user out for its first member.\n`,
    );
    for (const verb of ['revoke', 'rotate']) {
      const args = ['token', verb, '--stage', 'dev', '--organization', ours.code, '--id', '99999'];
      expect(await refused(args)).toBe(
        `There is no token 99999 in ${title}: "token list" shows all tokens.\n`,
      );
    }
  });
});
