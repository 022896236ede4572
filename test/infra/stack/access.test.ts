import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camel, findContracts, pascal, type Operation } from '../../../infra/functions.ts';
import { allows, type Statement } from '../../../infra/local/role.ts';
import { readTemplate, type Template } from '../../../infra/local/template/template.ts';
import { createFaqEndpoint } from '../../../shared/contract/faqs.ts';
import { listIndexes, searchIndexes, type EndpointAccess } from '../../../shared/ledger/index.ts';
import { allowedBy } from '../../support/asked.ts';
import { fileSettings, synthesizeStacks } from '../../support/made-up-stack.ts';

const { operations, workers } = await findContracts();

/** An endpoint that does not exist yet, whose writes issue tokens. */
const issueToken: Operation = {
  kind: 'endpoint',
  operationId: 'issueToken',
  endpoint: { ...createFaqEndpoint, path: '/v1/tokens', access: 'putAndRelease', alsoWrites: 'grants' },
  entry: 'functions/tokens/issue-token.ts',
};

const folder = mkdtempSync(join(tmpdir(), 'access-'));
let functions: Template['functions'];
let requiringKeys: Template['functions'];
beforeAll(() => {
  const smsOriginationIdentity = 'arn:aws:sms-voice:us-east-1:123456789012:pool/pool-0a1b';
  [functions, requiringKeys] = [false, true].map((requireLeadingKeys) => {
    const outdir = join(folder, String(requireLeadingKeys));
    synthesizeStacks(outdir, {
      stage: 'dev',
      settings: { ...fileSettings('dev'), smsOriginationIdentity, keepWarm: true, requireLeadingKeys },
      contracts: { operations: [...operations, issueToken], workers },
    });
    return readTemplate(outdir).functions;
  }) as [Template['functions'], Template['functions']];
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Statements of a function's role, by the name of its construct. */
function roleOf(construct: string): Statement[] {
  const found = functions.filter(({ name }) => new RegExp(`^${construct}[0-9A-F]{8}$`).test(name));
  expect(found.map(({ name }) => name)).toEqual([expect.stringMatching(construct)]);
  return found[0]!.role;
}

const start = 'dynamodb:GetItem on the table of NOWHERE';
const getOne = 'dynamodb:GetItem on the table of ORG#*';
const get = [start, getOne, `${getOne} in TransactGetItems`];
const query = 'dynamodb:Query on the table of ORG#*';
const list = 'dynamodb:Query on a list index of ORG#*';
const search = 'dynamodb:Query on a text index of ORG#*';
const batch = 'dynamodb:BatchGetItem on the table of ORG#*';
const [put, update, remove] = ['Put', 'Update', 'Delete'].map(
  (kind) => `dynamodb:${kind}Item on the table of ORG#* in TransactWriteItems`,
) as [string, string, string];
const queue = 'dynamodb:UpdateItem on the table of ORG#????????#TURN';
const expected: Record<EndpointAccess, string[]> = {
  none: [],
  get,
  readPage: [...get, query],
  readList: [...get, list],
  readPageAndList: [...get, query, list],
  readAndJoin: [...get, query, list, batch],
  search: [...get, query, list, search],
  searchAndJoin: [...get, query, list, search, batch],
  searchAndPrepare: [
    ...[...get, query, list, search],
    'dynamodb:UpdateItem on the table of ORG#????????#PREPARED',
  ],
  readDeliveries: [...get, query, batch],
  put: [...get, put, queue],
  putAndUpdate: [...get, put, update, queue],
  putAndMove: [...get, list, put, update, queue],
  putAndRelease: [...get, put, remove, queue],
  putMoveAndRelease: [...get, put, update, remove, queue],
  book: [...get, query, put, queue],
  rebook: [...get, query, put, update, remove, queue],
  erase: [...get, list, put, update, remove, queue],
  eraseWithAnswers: [
    ...[...get, query, list, put, update, remove, queue],
    'dynamodb:UpdateItem on the table of ORG#????????#ANSWER#*',
  ],
};
/** Permissions of workers, by their name. */
const ofWorkers: Record<string, string[]> = {
  'keep-warm': [],
  'resolve-sending': [...expected.put, 'dynamodb:Query on the due index of DUE#resolve-sending#*'],
  'receive-texts': [...expected.putMoveAndRelease, 'dynamodb:GetItem on the table of NUMBER#*'],
  'dispatch-webhooks': [],
  'send-webhooks': [
    ...[...get, query, list, put, queue],
    ...['CURSOR', 'DELIVERY#*', 'ANSWER#*'].map(
      (kind) => `dynamodb:UpdateItem on the table of ORG#????????#${kind}`,
    ),
    'dynamodb:DeleteItem on the table of ORG#????????#CURSOR',
  ],
  'sweep-webhooks': [start, 'dynamodb:Query on the due index of DUE#sweep-webhooks#*'],
};

/** Actions of Lambda on a stream, which have no keys. */
const readStream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (operation) => `dynamodb:${operation}`,
);
const isOnTable = (action: string) => action.startsWith('dynamodb:') && !readStream.includes(action);
const onTable = (role: readonly Statement[]) => role.filter(({ Action }) => Action.some(isOnTable));
const allowedOnTable = (construct: string) => [...allowedBy(onTable(roleOf(construct)))].sort();

describe('a role reaches in the table what the definition of its function names, and nothing else', () => {
  test.each(operations.map(({ operationId, endpoint }) => [operationId, endpoint.access] as const))(
    '%s: %s',
    (operationId, access) => {
      expect(allowedOnTable(pascal(operationId))).toEqual([...expected[access]].sort());
    },
  );

  test('the authorizer: what tokens grant', () => {
    expect(allowedOnTable('Authorizer')).toEqual([start, 'dynamodb:GetItem on the table of TOKEN#*']);
  });

  test.each(workers.map(({ worker: { name } }) => name))('the worker %s', (name) => {
    expect(allowedOnTable(`${pascal(camel(name))}Function`)).toEqual(ofWorkers[name]!.toSorted());
  });

  test('an endpoint that says so: the grants of tokens, in its transactions', () => {
    const grants = ['Put', 'Delete'].map(
      (kind) => `dynamodb:${kind}Item on the table of TOKEN#* in TransactWriteItems`,
    );
    expect(allowedOnTable('IssueToken')).toEqual([...expected.putAndRelease, ...grants].sort());
  });

  test('list indexes are all five, text indexes all three, and the rest is the one table', () => {
    const queried = (construct: string) =>
      onTable(roleOf(construct)).flatMap(({ Action, Resource }) =>
        Action.includes('dynamodb:Query') ? Resource : [],
      );
    const lists = queried('ListLeadActivities');
    const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/SalesPipeline-dev';
    expect(lists).toEqual(listIndexes.map((name) => `${table}/index/${name}`));
    const texts = searchIndexes.map((name) => `${table}/index/${name}`);
    expect(queried('ListLeads').sort()).toEqual([table, ...lists, ...texts].sort());
    for (const { role } of functions) {
      for (const resource of onTable(role).flatMap(({ Resource }) => Resource))
        expect(resource.replace(/\/index\/gsi\d$/, '')).toBe(table);
    }
  });
});

test.each([
  ['in transactions and in queries of indexes', false],
  ['nowhere with requireLeadingKeys', true],
])('a call for which DynamoDB names no key is allowed %s', (_, requireLeadingKeys) => {
  let statements = 0;
  for (const { name, role } of requireLeadingKeys ? requiringKeys : functions) {
    for (const { Action, Resource, Condition } of onTable(role)) {
      statements++;
      const [enclosing] = Condition?.['ForAnyValue:StringEquals']?.['dynamodb:EnclosingOperation'] ?? [];
      for (const action of Action) {
        for (const resource of Resource) {
          const isQueryOfIndex = resource.includes('/index/');
          const call = { action, resource, leadingKeys: [] };
          expect(allows(role, call), `${name}: ${action}`).toBe(isQueryOfIndex && !requireLeadingKeys);
          if (enclosing === undefined) continue;
          expect(allows(role, { ...call, enclosing }), `${name}: ${action}`).toBe(!requireLeadingKeys);
        }
      }
    }
  }
  expect(statements).toBeGreaterThan(functions.length);
});

const knowQueue = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

test('besides, a role writes the log, sends SMS or dead letters, receives or sends messages, reads the stream, encrypts, and calls functions, where that is what it is for', () => {
  for (const { name, role } of functions) {
    const others = role.flatMap(({ Action }) => Action.filter((action) => !isOnTable(action)));
    const logs = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    if (/^(SendSms|ReceiveTexts)/.test(name)) logs.push('sms-voice:SendTextMessage');
    if (/^(ReceiveTexts|SendWebhooks)/.test(name))
      logs.push('sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:ReceiveMessage', ...knowQueue);
    if (/^(CreateWebhook|RotateWebhookSecret)/.test(name)) logs.push('kms:Decrypt', 'kms:Encrypt');
    if (/^(Send|Dispatch|Sweep)Webhooks/.test(name)) logs.push('sqs:SendMessage');
    if (/^(SendWebhooks|SubmitCallEvent|AnswerRinging)/.test(name)) logs.push('kms:Decrypt');
    if (name.startsWith('DispatchWebhooks')) logs.push(...readStream);
    if (/^(ResolveSending|KeepWarm|DispatchWebhooks|SweepWebhooks)/.test(name))
      logs.push('sqs:SendMessage', ...knowQueue);
    if (name.startsWith('KeepWarm')) logs.push('lambda:InvokeFunction');
    expect([...others].sort(), name).toEqual(logs.sort());
  }
});

/**
 * Maximum of characters of all inline policies of a role together.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const maxInlinePolicies = 10_240;

test("a role's policies are within IAM's quota, whatever the table is called, and each in few statements", () => {
  const longestArn = `arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/${'x'.repeat(255)}`;
  for (const { name, role } of functions) {
    const text = JSON.stringify(role).replaceAll(/arn:aws:dynamodb:[^"/]+\/[^"/]+/g, longestArn);
    expect(text.length, name).toBeLessThan(0.6 * maxInlinePolicies);
    expect(onTable(role).length, name).toBeLessThanOrEqual(8);
  }
});
