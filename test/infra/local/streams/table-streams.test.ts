import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as v from 'valibot';
import type { Outcome } from '../../../../infra/local/functions/function-messages.ts';
import { TableStreams } from '../../../../infra/local/streams/table-streams.ts';
import { FilterPattern } from '../../../../infra/local/template/filter-pattern.ts';
import type { TableStream } from '../../../../infra/local/template/streams.ts';
import { namingHeadPattern } from '../../../../shared/ledger/index.ts';
import { done, failed, settle, workerCalls } from '../worker-calls.ts';

interface Record {
  dynamodb: { SequenceNumber: string; NewImage: { version: { N: string } } };
}

const stream: TableStream = {
  table: 'Table',
  functionName: 'Dispatch',
  pattern: v.parse(FilterPattern, namingHeadPattern('FLAG')),
  batchSize: 4,
  retries: 1,
  deadLetters: 'arn:aws:local:us-east-1:000000000000:DeadLetters',
};

let streams: TableStreams;
let batches: Record[][];
/** Outcome of a call with a batch. */
let outcomeOf: (batch: Record[]) => Outcome | Promise<Outcome>;
let calls: ReturnType<typeof workerCalls>;
let maySend: boolean;
beforeEach(() => {
  calls = workerCalls();
  [batches, maySend] = [[], true];
  outcomeOf = () => done;
  streams = new TableStreams({
    ...calls,
    invoke: async (_, event) => {
      const { Records } = event as { Records: Record[] };
      batches.push(Records);
      return outcomeOf(Records);
    },
    maySend: () => maySend,
  });
  streams.keep([stream]);
});
afterEach(() => {
  vi.useRealTimers();
});

const head = (version: number, named: object = { FLAG: { S: '1 4' } }) => ({
  Put: {
    TableName: 'Table',
    Item: {
      pk: { S: 'ORG#6H8EV880' },
      sk: { S: 'HEAD' },
      version: { N: String(version) },
      named: { M: named },
    },
  },
});
const other = { Update: { TableName: 'Table', Key: { pk: { S: 'ORG#6H8EV880#LEAD' }, sk: { S: '1' } } } };
const write = (...TransactItems: object[]) => {
  streams.follow('TransactWriteItems', Buffer.from(JSON.stringify({ TransactItems })));
};
const versions = () => batches.map((batch) => batch.map(({ dynamodb }) => dynamodb.NewImage.version.N));

test('a transaction that puts a head of an organization with such records calls the function with it', async () => {
  write(other, head(7));
  write(other);
  write(head(8, {}));
  write({ Put: { ...head(9).Put, TableName: 'Other' } });
  streams.follow('PutItem', Buffer.from(JSON.stringify(head(10).Put)));
  await settle();
  expect(batches).toEqual([
    [
      {
        eventID: expect.stringMatching(/^[\da-f]{32}$/) as string,
        eventName: 'MODIFY',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'us-east-1',
        dynamodb: {
          ApproximateCreationDateTime: expect.any(Number) as number,
          Keys: { pk: { S: 'ORG#6H8EV880' }, sk: { S: 'HEAD' } },
          NewImage: head(7).Put.Item,
          SequenceNumber: expect.stringMatching(/^\d{21}$/) as string,
          SizeBytes: expect.any(Number) as number,
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
        eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/Table/stream/local',
      },
    ],
  ]);
});

test('what comes during a call waits for the next one, in order, and as many as a batch holds', async () => {
  const call = Promise.withResolvers<Outcome>();
  outcomeOf = ([first]) => (first!.dynamodb.NewImage.version.N === '1' ? call.promise : done);
  for (let version = 1; version <= 7; version++) write(head(version));
  await settle();
  expect(versions()).toEqual([['1']]);
  call.resolve(done);
  await settle();
  expect(versions()).toEqual([['1'], ['2', '3', '4', '5'], ['6', '7']]);
  const numbers = batches.flat().map(({ dynamodb }) => dynamodb.SequenceNumber);
  expect(numbers).toEqual(numbers.toSorted());
  expect(new Set(numbers).size).toBe(7);
});

test('a batch that fails is halved until what is broken stands alone, which is given up after its retries', async () => {
  const isBroken = (batch: Record[]) => batch.some(({ dynamodb }) => dynamodb.NewImage.version.N === '3');
  const call = Promise.withResolvers<Outcome>();
  outcomeOf = (batch) => (batches.length === 1 ? call.promise : isBroken(batch) ? failed : done);
  for (let version = 0; version <= 4; version++) write(head(version));
  call.resolve(done);
  await settle();
  expect(versions()).toEqual([['0'], ['1', '2', '3', '4'], ['1', '2'], ['3', '4'], ['3'], ['3'], ['4']]);
  expect(calls.ends()).toEqual([
    undefined,
    'is tried again',
    undefined,
    'is tried again',
    'is tried again',
    'is a dead letter',
    undefined,
  ]);
  expect(calls.letters).toMatchObject([{ queue: 'DeadLetters', table: 'Table', size: 1, tries: 2 }]);
});

test('what is given up is lost if the role does not allow a dead letter', async () => {
  [outcomeOf, maySend] = [() => failed, false];
  write(head(1));
  await settle();
  expect(calls.ends()).toEqual(['is tried again', 'is lost']);
  expect(calls.letters).toEqual([]);
});

test('another template keeps the records of a stream that stays, and calls no function that is gone', async () => {
  const call = Promise.withResolvers<Outcome>();
  outcomeOf = () => (batches.length === 1 ? call.promise : done);
  for (const version of [1, 2]) write(head(version));
  streams.keep([{ ...stream }]);
  call.resolve(done);
  await settle();
  expect(versions()).toEqual([['1'], ['2']]);
  streams.keep([]);
  write(head(3));
  await settle();
  expect(batches).toHaveLength(2);
});
