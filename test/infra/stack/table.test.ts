import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../infra/functions.ts';
import { stackNameOf } from '../../../infra/stack/stage.ts';
import { templateWith } from '../../support/made-up-stack.ts';

const read = 'Read docs/operations.md, "The kept table".';
const instead = {
  stackName:
    'Do not change this: CloudFormation takes a stack of another name for a new one, with a table that is new and empty; the ' +
    `old stack stays beside it, with the data. ${read}`,
  logicalId:
    'Do not change this id: under another one, CloudFormation makes a new table, which is empty, and the old one belongs ' +
    `to no stack. Put the construct back where it was, or call overrideLogicalId on what it synthesizes. ${read}`,
  keys:
    'Do not change these: a table with other keys is a new one, and empty. Keep what is new under keys of this form, or ' +
    `in an index of its own. ${read}`,
  indexes:
    'Do not change or rename these, and take none away: CloudFormation makes one index or deletes one for each deployment, ' +
    'and changes none. A new index has a name of its own, goes to the end of this list, and is deployed before code that ' +
    `reads it; a second one is for the next deployment. ${read}`,
  stream:
    'Do not change this: with another kind of images, the stream is a new one, and workers miss what the old one had. ' +
    `A worker that wants less ignores it. ${read}`,
  expiry:
    'Do not change this: DynamoDB takes another attribute only an hour after this one is turned off, and what was stored ' +
    `with this one would stay for ever. Use it for what is new, too. ${read}`,
};

const index = (name: string, sortKeyIs: 'N' | 'S', projection: 'ALL' | 'KEYS_ONLY') => ({
  name,
  keys: { HASH: [`${name}pk`, 'S'], RANGE: [`${name}sk`, sortKeyIs] },
  projection: { ProjectionType: projection },
});

interface KeySchema {
  AttributeName: string;
  KeyType: string;
}
interface Properties {
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  KeySchema: KeySchema[];
  GlobalSecondaryIndexes: { IndexName: string; KeySchema: KeySchema[]; Projection: unknown }[];
  StreamSpecification: unknown;
  TimeToLiveSpecification: unknown;
  Replicas: Record<string, unknown>[];
  BillingMode: string;
  WriteOnDemandThroughputSettings: unknown;
}

/** Tables of a stage by their logical ids, and the whole template. */
function synthesize(stage: 'dev' | 'prod') {
  const template = templateWith({ stage });
  const tables = Object.entries(template.resources)
    .filter(([, { Type }]) => Type.startsWith('AWS::DynamoDB::'))
    .map(([id, resource]) => ({ id, resource, properties: resource.Properties as unknown as Properties }));
  return { ...template, tables };
}
const synthesized = { dev: synthesize('dev'), prod: synthesize('prod') };

describe.each(['dev', 'prod'] as const)('the table of %s, which is for good', (stage) => {
  const { tables } = synthesized[stage];
  const [{ properties }] = tables as [(typeof tables)[number]];
  const keysOf = (schema: KeySchema[]) => {
    const types = new Map(
      properties.AttributeDefinitions.map(({ AttributeName, AttributeType }) => [
        AttributeName,
        AttributeType,
      ]),
    );
    return Object.fromEntries(
      schema.map(({ AttributeName, KeyType }) => [KeyType, [AttributeName, types.get(AttributeName)]]),
    );
  };

  test('is in a stack whose name is for good, too', () => {
    expect(stackNameOf(stage), instead.stackName).toBe(`SalesPipeline-${stage}`);
  });

  test('is one, under its logical id', () => {
    expect(
      tables.map(({ id, resource }) => [id, resource.Type]),
      instead.logicalId,
    ).toEqual([['TableCD117FA1', 'AWS::DynamoDB::GlobalTable']]);
    expect(properties, instead.logicalId).not.toHaveProperty('TableName');
  });

  test('has its keys', () => {
    expect(keysOf(properties.KeySchema), instead.keys).toEqual({ HASH: ['pk', 'S'], RANGE: ['sk', 'S'] });
  });

  test('has its indexes: of lists, of text, and of what is due', () => {
    const indexes = properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      name: IndexName,
      keys: keysOf(KeySchema),
      projection: Projection,
    }));
    expect(indexes, instead.indexes).toEqual([
      ...['gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5'].map((name) => index(name, 'N', 'ALL')),
      ...['gsi6', 'gsi7', 'gsi8'].map((name) => index(name, 'S', 'ALL')),
      index('gsi9', 'S', 'KEYS_ONLY'),
    ]);
  });

  test('has its stream, and the attribute by which items expire', () => {
    expect(properties.StreamSpecification, instead.stream).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(properties.TimeToLiveSpecification, instead.expiry).toEqual({
      AttributeName: 'expiresAtSecond',
      Enabled: true,
    });
  });

  test('is on demand, up to the write units that are set, and can be restored to any second', () => {
    expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(properties.WriteOnDemandThroughputSettings).toEqual({ MaxWriteRequestUnits: 4000 });
    expect(properties.Replicas).toEqual([
      expect.objectContaining({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }),
    ]);
  });
});

test('in prod neither the table nor its stack can be deleted, and a table outlives its stack; in dev all goes', () => {
  const { dev, prod } = synthesized;
  expect(prod.tables[0]!.resource).toMatchObject({
    // A failed first deployment removes what it made, as far as that is not protected.
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { Replicas: [{ DeletionProtectionEnabled: true }] },
  });
  expect(prod.terminationProtection).toBe(true);
  expect(dev.tables[0]!.resource).toMatchObject({
    DeletionPolicy: 'Delete',
    UpdateReplacePolicy: 'Delete',
    Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
  });
  expect(dev.terminationProtection).toBe(false);
});

test('the documentation imports what a stack leaves behind, by the ids that it has', () => {
  const kept = Object.entries(synthesized.prod.resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))
    // The account's role stays with the account. A new stack makes another.
    .filter(([, { Type }]) => Type !== 'AWS::IAM::Role' && Type !== 'AWS::ApiGateway::Account')
    .map(([id, { Type, Properties }]) => [
      id,
      Type === 'AWS::Logs::LogGroup' ? { LogGroupName: Properties['LogGroupName'] } : { TableName: '…' },
    ]);
  const docs = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, mapping] = /```json\s+(\{[^`]*"TableName"[^`]*\})\s+```/.exec(docs)!;
  const named = JSON.parse(mapping!.replace(/"TableName": "[^"]*"/, '"TableName": "…"')) as unknown;
  expect(named).toEqual(Object.fromEntries(kept));
});
