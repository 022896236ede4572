import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { dataStackNameOf } from '../../../infra/stack/resource-names.ts';
import { receiveTexts, templateWith, type Resource } from '../../support/template/made-up-stack.ts';

const read = 'Read docs/operations.md, "The kept table".';
const instead = {
  name:
    'Do not change this: a stack of another name, or with a table of another name or logical id, makes a new table, ' +
    `which is empty. ${read}`,
  keys:
    'Do not change these: CloudFormation refuses to replace a table that has a name. Keep what is new under keys of this ' +
    `form, or in an index of its own. ${read}`,
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
  TableName: string;
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
  const template = templateWith({ stage, workers: [receiveTexts] }).data;
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

  test('is one, by its name, in a stack of its name', () => {
    expect(dataStackNameOf(stage), instead.name).toBe(`SalesPipeline-${stage}-data`);
    expect(
      tables.map(({ id, resource }) => [id, resource.Type]),
      instead.name,
    ).toEqual([['TableCD117FA1', 'AWS::DynamoDB::GlobalTable']]);
    expect(properties.TableName, instead.name).toBe(`SalesPipeline-${stage}`);
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

test('in prod the table can neither be deleted nor replaced; in dev it can', () => {
  for (const [stage, UpdateReplacePolicy, DeletionProtectionEnabled] of [
    ['prod', 'Retain', true],
    ['dev', 'Delete', false],
  ] as const)
    expect(synthesized[stage].tables[0]!.resource).toMatchObject({
      UpdateReplacePolicy,
      Properties: { Replicas: [{ DeletionProtectionEnabled }] },
    });
});

/** True for a policy of a topic or a queue, which a new policy replaces. */
const isPolicy = (type: string) => /^AWS::SNS::TopicPolicy$|^AWS::SQS::QueuePolicy$/.test(type);

test('a table of another name is another resource, so that the stack can leave one and import the other', () => {
  const settings = { tableName: 'Restored' };
  const { resources, of } = templateWith({ settings, workers: [receiveTexts] }).data;
  const [[id, table]] = of('AWS::DynamoDB::GlobalTable') as [[string, Resource]];
  expect(table.Properties['TableName']).toBe('Restored');
  expect(Object.keys(synthesized.prod.resources)).not.toContain(id);
  // An import needs these:
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
  expect(table.DeletionPolicy).toBe('RetainExceptOnCreate');
  // The table is made after every other resource that could be there already, and can be imported only together
  // with them.
  const kept = Object.entries(resources).filter(
    ([other, { Type, DeletionPolicy }]) =>
      other !== id && !isPolicy(Type) && DeletionPolicy?.startsWith('Retain'),
  );
  expect(table.DependsOn!.toSorted()).toEqual(kept.map(([name]) => name).sort());
});

test('the documentation imports what a stack leaves behind, by the ids that it has', () => {
  const identifiers: Record<string, (properties: Record<string, unknown>) => object> = {
    'AWS::DynamoDB::GlobalTable': ({ TableName }) => ({ TableName }),
    'AWS::Logs::LogGroup': ({ LogGroupName }) => ({ LogGroupName }),
    'AWS::SNS::Topic': ({ TopicName }) => ({
      TopicArn: `arn:aws:sns:us-east-1:123456789012:${String(TopicName)}`,
    }),
    'AWS::SQS::Queue': ({ QueueName }) => ({
      QueueUrl: `https://sqs.us-east-1.amazonaws.com/123456789012/${String(QueueName)}`,
    }),
    // AWS chooses the id of a key.
    'AWS::KMS::Key': () => ({ KeyId: '0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f' }),
  };
  const kept = Object.entries(synthesized.prod.resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))
    .filter(([, { Type }]) => !isPolicy(Type))
    .map(([id, { Type, Properties }]) => [id, identifiers[Type]!(Properties)]);
  const docs = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, mapping] = /```json\s+(\{[^`]*"TableName"[^`]*\})\s+```/.exec(docs)!;
  expect(JSON.parse(mapping!)).toEqual(Object.fromEntries(kept));
});
