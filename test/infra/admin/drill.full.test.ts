import type { IncomingMessage } from 'node:http';
import { beforeEach, expect, test, vi } from 'vitest';
import { runAdmin } from '../../../infra/admin/run-admin.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { engine, newOrganization, newPlainTable } from '../../support/test-organization.ts';
import { ok, refusal, stackOf, startAwsStandIn, stubAws, type AwsAnswer } from './aws-stand-in.ts';
import { tableItems } from './stored-items.ts';

/* DynamoDB that restores and deletes tables as AWS documents it, in stopped time. Items come from the tests' engine. */

const source = 'SalesPipeline-prod';
const arnOf = (name: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/${name}`;
const minutes = (count: number) => count * 60_000;

interface Input {
  TableName?: string;
  TargetTableName?: string;
  RestoreDateTime?: number;
  ExclusiveStartTableName?: string;
}
interface Table {
  status: string;
  /** Status from a moment on; `GONE` for no table. */
  then?: [at: number, status: string];
  more?: object;
}
let clock: ReturnType<typeof stoppedClock>;
let tables: Map<string, Table>;
/** Calls that change or list tables, and calls for items of the table in use. */
let calls: string[];
/** Answers that come once, instead of the usual ones. */
let once: Record<string, ((input: Input) => AwsAnswer) | undefined>;
let restored: { table: string; more: object };
let onCall: (operation: string) => void;
let inUse: string;

const statusOf = (name: string): string => {
  const { status, then } = tables.get(name) ?? { status: 'GONE' };
  return then && clock.system.now() >= then[0] ? then[1] : status;
};
const usual: typeof once = {
  ListTables({ ExclusiveStartTableName: from }) {
    const names = [...tables.keys()].filter((name) => statusOf(name) !== 'GONE').sort();
    const at = names.findIndex((name) => from === undefined || name > from);
    return ok({
      TableNames: names.slice(at, at + 2),
      LastEvaluatedTableName: names.slice(at + 2).length > 0 ? names[at + 1] : undefined,
    });
  },
  DescribeTable({ TableName: name = '' }) {
    const status = statusOf(name);
    if (status === 'GONE') return refusal('ResourceNotFoundException');
    const { then: [at] = [0], more } = tables.get(name) ?? {};
    // The index takes a minute longer than the table.
    const IndexStatus = clock.system.now() < at + minutes(1) ? 'CREATING' : 'ACTIVE';
    return ok({
      Table: {
        TableArn: arnOf(name),
        TableStatus: status,
        TableSizeBytes: 20 * 1024 ** 3,
        GlobalSecondaryIndexes: [{ IndexName: 'gsi1', IndexStatus }],
        ...more,
      },
    });
  },
  RestoreTableToPointInTime({
    TargetTableName: name = '',
    RestoreDateTime = Date.parse('2026-11-26T08:52:31Z') / 1000,
  }) {
    if (tables.has(name)) return refusal('TableAlreadyExistsException');
    const RestoreSummary = { SourceTableArn: arnOf(source), RestoreDateTime, RestoreInProgress: false };
    const then: Table['then'] = [clock.system.now() + minutes(6), 'ACTIVE'];
    tables.set(name, { status: 'CREATING', then, more: { RestoreSummary, ...restored.more } });
    return ok();
  },
  UpdateTable({ TableName: name = '' }) {
    const table = tables.get(name);
    tables.set(name, { status: 'ACTIVE', more: { ...table?.more, DeletionProtectionEnabled: false } });
    return ok();
  },
  DeleteTable({ TableName: name = '' }) {
    const more = tables.get(name)?.more ?? {};
    if ('DeletionProtectionEnabled' in more && more.DeletionProtectionEnabled === true)
      return refusal('ValidationException');
    if (statusOf(name) === 'CREATING') return refusal('ResourceInUseException');
    tables.set(name, { status: 'DELETING', then: [clock.system.now() + minutes(2), 'GONE'] });
    return ok();
  },
};

async function answer(body: string, { headers }: IncomingMessage): Promise<AwsAnswer> {
  const target = headers['x-amz-target'];
  // CloudFormation is asked by a form.
  if (typeof target !== 'string') return stackOf('UPDATE_COMPLETE', { TableName: inUse });
  const operation = target.replace(/.*\./, '');
  const input = JSON.parse(body) as Input;
  if (operation in usual && operation !== 'DescribeTable')
    calls.push(`${operation} ${input.TargetTableName ?? input.TableName ?? ''}`.trim());
  else if (!(operation in usual) && body.includes(`"${source}"`)) calls.push(`${operation} ${source}`);
  onCall(operation);
  const special = once[operation];
  once[operation] = undefined;
  const given = special?.(input) ?? usual[operation]?.(input);
  if (given) return given;
  const signed = ['x-amz-target', 'x-amz-date', 'authorization', 'content-type'] as const;
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    headers: signed.map((header): [string, string] => [header, String(headers[header])]),
    body: body.replaceAll(drill, restored.table),
  });
  return { status: response.status, body: await response.text() };
}

/** Table of a drill that begins now, by the tests' clock. */
const drill = 'SalesPipeline-prod-drill-20261126T085731Z';
const [whole, empty] = [await newPlainTable(), await newPlainTable()];
const client = clientOf(engine);
const { code } = await newOrganization({ tableName: whole });
const aws = await startAwsStandIn(answer);

beforeEach(() => {
  clock = stoppedClock(Date.parse('2026-11-26T08:57:31Z'));
  tables = new Map([[source, { status: 'ACTIVE' }]]);
  [calls, once, restored, onCall] = [[], {}, { table: whole, more: {} }, () => undefined];
  inUse = source;
  stubAws({ AWS_ENDPOINT_URL_CLOUDFORMATION: aws });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', aws);
});

/** Runs the command. `stopAt` presses Ctrl-C at a call of this operation after some minutes. */
async function run(args: string[] = [], stopAt?: { operation: string; after: number }) {
  const printed = { stdout: '', stderr: '' };
  const began = clock.system.now();
  const code = await runAdmin(['drill', '--stage', 'prod', ...args], {
    print: (text) => (printed.stdout += text),
    printError: (text) => (printed.stderr += text),
    system: { ...realSystem, ...clock.system },
    onInterrupt: (stop) => {
      onCall = (operation) => {
        if (operation === stopAt?.operation && clock.system.now() - began >= stopAt.after) stop();
      };
      return () => undefined;
    },
  });
  // A drill reads no item of the table in use.
  expect(calls.filter((call) => call.endsWith(` ${source}`))).toEqual([]);
  return { code, ...printed };
}
const isThere = (name = drill) => statusOf(name) !== 'GONE';
const restoreCalls = ['ListTables', `RestoreTableToPointInTime ${drill}`];
const removeCall = `DeleteTable ${drill}`;
const moment = '2026-11-26T08:52:31.000Z';

test('a drill restores the latest moment, verifies all organizations, tells the times, and removes its table', async () => {
  const { code: exit, stdout, stderr } = await run();
  expect({ exit, lines: stdout.split('\n'), calls, isThere: isThere() }).toEqual({
    exit: 0,
    lines: [
      `${source} of ${moment} was restored into ${drill}.`,
      ...['  restore  7 minutes', '  verify   0 seconds', '  remove   2 minutes'],
      expect.stringMatching(new RegExp(`^Test \\(${code}\\) is whole: .* at version \\d+\\.$`)),
      'The drill succeeded: all organizations are whole, 1 in number.',
      '',
    ],
    calls: [...restoreCalls, removeCall],
    isThere: false,
  });
  expect(stderr).toContain(`${source} is being restored into ${drill}: 20.0 GB, for some 3.00 dollars.\n`);
  expect(stderr).toContain(`${drill} is CREATING after 5 minutes.\n`);
});

test('a drill of a given moment can keep its table, and the next command removes it', async () => {
  const { code: exit, stdout, stderr } = await run(['--at', '2026-11-22T08:55:00Z', '--keep', '--json']);
  const { seconds, organizations, ...json } = JSON.parse(stdout) as Record<string, unknown>;
  expect({ exit, seconds, json, organizations }).toEqual({
    exit: 0,
    seconds: { restore: 420, verify: 0 },
    json: {
      source,
      table: drill,
      moment: '2026-11-22T08:55:00.000Z',
      isKept: true,
      left: [],
      findings: 0,
      strays: [],
    },
    organizations: [expect.objectContaining({ organization: code })],
  });
  expect(stderr).toContain(
    `${drill} is kept, and charged for: "npm run admin -- drill --stage prod --remove-left"`,
  );
  expect(await run(['--remove-left'])).toEqual({ code: 0, stdout: `${drill} is removed.\n`, stderr: '' });
  expect(isThere()).toBe(false);
  expect((await run(['--remove-left'])).stdout).toBe(
    'No drill has left a table in the stage prod of us-east-1.\n',
  );
});

test('damage fails the drill, and the table is removed all the same', async () => {
  const items = tableItems(client, () => whole);
  const key = recordKey(code, 'MEMBER', 1);
  const record = await items.get(key);
  await items.remove(key);
  const damaged = await run();
  await items.put(record);
  expect(damaged.code).toBe(1);
  expect(damaged.stdout).toContain(`${code}: member`);
  expect(damaged.stdout).toContain(
    'First verify the table in use: "npm run admin -- organization verify --stage prod --all".\n',
  );
  expect(damaged.stdout).toContain(
    `"npm run admin -- drill --stage prod --at ${moment} --keep" restores the same data again`,
  );
  expect(isThere()).toBe(false);
});

test('a restored table without an organization fails the drill', async () => {
  restored.table = empty;
  const nothing = await run();
  expect(nothing.code).toBe(1);
  expect(nothing.stdout).toMatch(
    /The drill shows nothing: there is no organization in the restored table\.\n$/,
  );
  expect(isThere()).toBe(false);
});

test.each<[what: string, answers: typeof once, more: object, calls: string[]]>([
  [
    'protection of the restored table',
    {},
    { DeletionProtectionEnabled: true },
    [`UpdateTable ${drill}`, removeCall],
  ],
  [
    'a deletion that must wait',
    { DeleteTable: () => refusal('LimitExceededException') },
    {},
    [removeCall, removeCall],
  ],
  [
    'a lost reply to the restore',
    {
      RestoreTableToPointInTime: (input) => (
        usual['RestoreTableToPointInTime']!(input),
        refusal('InternalServerError', 'InternalServerError!', 500)
      ),
    },
    {},
    [restoreCalls[1]!, removeCall],
  ],
])('%s does not stop a drill', async (_, answers, more, further) => {
  once = answers;
  restored.more = more;
  expect((await run()).code).toBe(0);
  expect(calls).toEqual([...restoreCalls, ...further]);
  expect(isThere()).toBe(false);
});

test.each([
  [
    'PointInTimeRecoveryUnavailableException',
    /^SalesPipeline-prod cannot be restored, because .* Switch it on: .*=true" \(/,
  ],
  [
    'InvalidRestoreTimeException',
    /^SalesPipeline-prod cannot be restored to this moment\. "aws dynamodb describe-continuous-backups /,
  ],
  ['LimitExceededException', /nothing was restored: try again later \(/],
  ['TableInUseException', /^Another drill began in this second: run it again \(/],
  ['AccessDeniedException', /^AWS refused the call: AccessDeniedException: /],
])('a restore that is refused with %s is one sentence, and makes no table', async (name, sentence) => {
  once['RestoreTableToPointInTime'] = () => refusal(name);
  const { code: exit, stdout, stderr } = await run();
  expect({ exit, stdout, calls, isThere: isThere() }).toEqual({
    exit: 1,
    stdout: '',
    calls: restoreCalls,
    isThere: false,
  });
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(new RegExp(`${name}!\\)?\\.\n$`));
});

const left = `${drill} may be left: "npm run admin -- drill --stage prod --remove-left" removes it as soon as it is ACTIVE.\n`;

test.each<[what: string, change: Partial<Table>, sentence: string]>([
  ['is cancelled', { status: 'GONE', then: [0, 'GONE'] }, 'not there'],
  [
    'loses the key of its encryption',
    { then: [0, 'INACCESSIBLE_ENCRYPTION_CREDENTIALS'] },
    'INACCESSIBLE_ENCRYPTION_CREDENTIALS',
  ],
])('a restore that %s ends the drill', async (_, change, status) => {
  once['RestoreTableToPointInTime'] = (input) => {
    usual['RestoreTableToPointInTime']!(input);
    tables.set(drill, { ...tables.get(drill)!, ...change });
    return ok();
  };
  const { code: exit, stderr } = await run();
  expect(exit).toBe(1);
  expect(
    stderr.endsWith(
      `${left}DynamoDB did not restore ${drill}, which is ${status}: look for the reason in CloudTrail, and drill again.\n`,
    ),
  ).toBe(true);
});

test.each<[during: string, stopAt: { operation: string; after: number }, isLeft: boolean]>([
  ['the restore', { operation: 'DescribeTable', after: minutes(3) }, true],
  ['the verification', { operation: 'Scan', after: 0 }, false],
])('Ctrl-C during %s stops the drill', async (_, stopAt, isLeft) => {
  const { code: exit, stdout, stderr } = await run([], stopAt);
  expect({ exit, stdout, isThere: isThere() }).toEqual({ exit: 1, stdout: '', isThere: isLeft });
  expect(stderr.endsWith(`${isLeft ? left : ''}The command was stopped.\n`)).toBe(true);
  expect(clock.system.now() - Date.parse('2026-11-26T08:57:31Z')).toBeLessThan(minutes(isLeft ? 4 : 10));
});

test('the next drill names what killed drills have left; --remove-left removes only tables that a drill made', async () => {
  const at = (day: string) => `SalesPipeline-prod-drill-202611${day}T000000Z`;
  const fromSource = {
    RestoreSummary: { SourceTableArn: arnOf(source), RestoreDateTime: 1, RestoreInProgress: false },
  };
  const made: Record<string, Table> = {
    [at('01')]: { status: 'ACTIVE', more: fromSource },
    [at('02')]: { status: 'CREATING', more: fromSource },
    [at('03')]: { status: 'ACTIVE', more: { ...fromSource, DeletionProtectionEnabled: true } },
    [at('04')]: { status: 'ACTIVE' },
    [at('05')]: {
      status: 'ACTIVE',
      more: { RestoreSummary: { ...fromSource.RestoreSummary, SourceTableArn: arnOf('Other') } },
    },
    'SalesPipeline-prod-drill-notes': { status: 'ACTIVE', more: fromSource },
    [at('06').replace('prod', 'dev')]: { status: 'ACTIVE', more: fromSource },
    [`My-${at('07')}`]: { status: 'ACTIVE', more: fromSource },
  };
  for (const [name, table] of Object.entries(made)) tables.set(name, table);
  const { code: exit, stderr } = await run();
  expect(exit).toBe(0);
  expect(
    stderr.match(/(?<=^An earlier drill left )\S+(?=, or a drill still runs: it is (ACTIVE|CREATING)\.)/gm),
  ).toEqual(['01', '02', '03', '04', '05'].map(at));
  expect(Object.keys(made).filter(isThere)).toEqual(Object.keys(made));
  expect(await run(['--remove-left'])).toEqual({
    code: 1,
    stdout:
      `${at('01')} is removed.\n${at('02')} stays, because it is CREATING.\n` +
      `${at('03')} stays, because it is protected from deletion.\n` +
      `${at('04')} stays, because it was not restored from ${source}.\n` +
      `${at('05')} stays, because it was not restored from ${source}.\n`,
    stderr: '',
  });
  expect(Object.keys(made).filter((name) => !isThere(name))).toEqual([at('01')]);
});

test('a stage that uses the table of a drill never removes it', async () => {
  tables.set(drill, tables.get(source)!);
  inUse = drill;
  expect((await run(['--remove-left'])).stdout).toMatch(/^No drill has left a table/);
});
