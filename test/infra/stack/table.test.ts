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

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
const index = (name: string, ProjectionType: string) => ({
  IndexName: name,
  KeySchema: keys(`${name}pk`, `${name}sk`),
  Projection: { ProjectionType },
});

/** Tables of a stage by their logical ids, and the whole template. */
function synthesize(stage: 'dev' | 'prod') {
  const template = templateWith({ stage, workers: [receiveTexts] }).data;
  const tables = Object.entries(template.resources).filter(([, { Type }]) =>
    Type.startsWith('AWS::DynamoDB::'),
  );
  return { ...template, tables };
}
const synthesized = { dev: synthesize('dev'), prod: synthesize('prod') };

describe.each(['dev', 'prod'] as const)('the table of %s, which is for good', (stage) => {
  const { tables } = synthesized[stage];
  const [[id, { Type, Properties: properties }]] = tables as [(typeof tables)[number]];

  test('is one, by its name, in a stack of its name', () => {
    expect(dataStackNameOf(stage), instead.name).toBe(`SalesPipeline-${stage}-data`);
    expect(tables).toHaveLength(1);
    expect([id, Type], instead.name).toEqual(['TableCD117FA1', 'AWS::DynamoDB::GlobalTable']);
    expect(properties['TableName'], instead.name).toBe(`SalesPipeline-${stage}`);
  });

  test('has its keys', () => {
    expect(properties['KeySchema'], instead.keys).toEqual(keys('pk', 'sk'));
  });

  test('has its indexes: of lists, of text, and of what is due', () => {
    expect(properties['GlobalSecondaryIndexes'], instead.indexes).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => index(`gsi${number}`, 'ALL')),
      index('gsi9', 'KEYS_ONLY'),
    ]);
  });

  test('has ranks as numbers, and every other key as text', () => {
    const indexes = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((number) => [`gsi${number}pk`, `gsi${number}sk`]);
    const definitions = ['pk', 'sk', ...indexes].map((AttributeName) => ({
      AttributeName,
      AttributeType: /[1-5]sk/.test(AttributeName) ? 'N' : 'S',
    }));
    expect(properties['AttributeDefinitions'], instead.keys).toEqual(definitions);
  });

  test('has its stream, and the attribute by which items expire', () => {
    expect(properties['StreamSpecification'], instead.stream).toEqual({
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    });
    expect(properties['TimeToLiveSpecification'], instead.expiry).toEqual({
      AttributeName: 'expiresAtSecond',
      Enabled: true,
    });
  });

  test('is on demand, up to the write units that are set, and can be restored to any second', () => {
    expect(properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 4000 },
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
  });
});

test('in prod the table can neither be deleted nor replaced; in dev it can', () => {
  for (const [stage, UpdateReplacePolicy, DeletionProtectionEnabled] of [
    ['prod', 'Retain', true],
    ['dev', 'Delete', false],
  ] as const)
    expect(synthesized[stage].tables[0]![1]).toMatchObject({
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
