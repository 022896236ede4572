import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  ScanCommand,
  type ScanCommandOutput,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Behaviour } from './dynamodb.ts';
import { ledgerTable, newSimulatedTable, type SimulatedTable } from './simulated-table.ts';

const TableName = ledgerTable.name;
const keyOf = (sk: string) => ({ pk: 'P', sk });
const put = (sk: string, attributes: object = {}) => ({
  Put: { TableName, Item: { ...keyOf(sk), ...attributes } },
});

/** Fixed times make the order of events in a test predictable. */
const fixed = {
  network: [1, 1],
  read: [0.3, 0.3],
  transactRead: [2, 2],
  update: [2, 2],
  prepare: [4, 4],
  apply: [1, 3],
  lateApplyChance: 0,
  lateIndexChance: 0,
} satisfies Partial<Behaviour>;

function newDocuments(behaviour: Partial<Behaviour> = {}, seed = 1) {
  const table = newSimulatedTable(behaviour, { seed });
  const documents = DynamoDBDocumentClient.from(table.client, {
    marshallOptions: { removeUndefinedValues: true },
  });
  const write = (...TransactItems: object[]) =>
    documents.send(new TransactWriteCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }));
  const get = async (sk: string) => {
    const { Item } = await documents.send(
      new GetCommand({ TableName, Key: keyOf(sk), ConsistentRead: true }),
    );
    return Item;
  };
  const snapshot = (...sks: string[]) =>
    documents.send(
      new TransactGetCommand({ TransactItems: sks.map((sk) => ({ Get: { TableName, Key: keyOf(sk) } })) }),
    );
  const add = (sk: string) =>
    documents.send(
      new UpdateCommand({
        TableName,
        Key: keyOf(sk),
        UpdateExpression: 'ADD seen :one',
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'ALL_NEW',
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
  return { ...table, documents, write, get, snapshot, add };
}

/** Outcome of a call. The call is not awaited yet. */
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) =>
      error instanceof TransactionCanceledException
        ? (error.CancellationReasons ?? []).map(({ Code }) => Code).join()
        : (error as Error).name,
  );

/** Lets time pass until all items are committed and all indexes are up to date. */
const settle = async ({ time, engine }: SimulatedTable) => {
  await time.run(() => engine.isIdle);
};

test('Between the decision and the last apply, reads show some items new and some old, and all are held', async () => {
  const world = newDocuments({ ...fixed, read: [0.2, 0.6] });
  const { time, write, get, add } = world;
  await time.run(write(put('a', { n: 1 }), put('b', { n: 1 })));
  const seen = new Set<string>();
  const refused = new Set<string>();
  for (let n = 2; n < 40; n++) {
    let stored = false;
    const writing = write(put('a', { n }), put('b', { n })).then(() => (stored = true));
    const reading = async () => {
      while (!stored) {
        const [a, b] = await Promise.all([get('a'), get('b')]);
        seen.add(`${a?.['n'] === n ? 'new' : 'old'} ${b?.['n'] === n ? 'new' : 'old'}`);
      }
    };
    // Decided 5 ms after it is sent: an update of either item arrives while the item is held.
    const updating = async () => {
      await time.sleep(4);
      refused.add(await outcomeOf(add('a')));
    };
    await time.run(Promise.all([writing, reading(), updating()]));
    await settle(world);
    await time.run(write(put('a', { n }), put('b', { n })));
  }
  expect([...seen].sort()).toEqual(['new new', 'new old', 'old new', 'old old']);
  expect([...refused]).toContain('TransactionConflictException');
});

test('One of two concurrent transactions on an item conflicts and writes none of its items', async () => {
  const { time, write, get, engine, refusals } = newDocuments(fixed);
  const outcomes = [
    outcomeOf(write(put('a', { by: 1 }), put('b'))),
    outcomeOf(write(put('c'), put('a', { by: 2 }))),
  ];
  const [one, other] = await time.run(Promise.all(outcomes));
  expect([one, other].sort()).toEqual(
    one === 'done' ? ['None,TransactionConflict', 'done'] : ['TransactionConflict,None', 'done'],
  );
  expect(await time.run(get(one === 'done' ? 'c' : 'b'))).toBeUndefined();
  expect(engine.stats.transactions).toEqual({
    sent: 2,
    stored: 1,
    repeated: 0,
    refused: { TransactionConflict: 1 },
  });
  expect(refusals.map(({ command }) => command)).toEqual(['TransactWriteItems']);
});

test('A refused transaction is charged, and its units are counted', async () => {
  const { time, write, engine } = newDocuments();
  await time.run(write(put('a')));
  expect(engine.stats.units).toEqual({ read: 0, write: 2 });
  const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
  await time.run(outcomeOf(write(put('b'), { Put: { ...put('a').Put, ...absent } })));
  expect(engine.stats.units).toEqual({ read: 0, write: 6 });
});

test('A snapshot is refused while a transaction holds or applies one of its items, and never mixes two states', async () => {
  const world = newDocuments(fixed);
  const { time, write, snapshot, refusals } = world;
  await time.run(write(put('a', { n: 0 }), put('b', { n: 0 })));
  const outcomes = new Set<string>();
  for (let n = 1; n <= 60; n++) {
    const writing = time.sleep(3).then(() => write(put('a', { n }), put('b', { n })));
    const reading = time.sleep((n % 12) * 0.9).then(async () => {
      const call = snapshot('a', 'b');
      const outcome = await outcomeOf(call);
      if (outcome !== 'done') {
        outcomes.add(outcome);
        return;
      }
      const { Responses = [] } = await call;
      const [a, b] = Responses.map(({ Item }) => Number(Item?.['n']));
      expect(a).toBe(b);
      outcomes.add(a === n ? 'new' : 'old');
    });
    await time.run(Promise.all([writing, reading]));
  }
  expect([...outcomes].sort()).toEqual(
    expect.arrayContaining(['TransactionConflict,TransactionConflict', 'new', 'old']),
  );
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.every(({ command }) => command === 'TransactGetItems')).toBe(true);
});

test('A query is no snapshot: it can show a later write without an earlier one', async () => {
  const world = newDocuments({ ...fixed, read: [20, 20] });
  const { time, documents, add } = world;
  const input = {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'P' },
  };
  const seen = new Set<string>();
  for (let round = 1; round <= 40; round++) {
    const writing = (async () => {
      await time.sleep(round % 16);
      await add('a');
      await add('b');
    })();
    const [, { Items = [] }] = await time.run(
      Promise.all([writing, documents.send(new QueryCommand(input))]),
    );
    seen.add(Items.map(({ seen: count }) => (count === round ? 'new' : 'old')).join(' '));
  }
  expect([...seen]).toContain('old new');
});

test('A single update applies once, returns the new values, and is refused while a transaction holds its item', async () => {
  const { time, add, write, get, commits } = newDocuments(fixed);
  const { Attributes, ConsumedCapacity } = await time.run(add('a'));
  expect(Attributes).toMatchObject({ seen: 1 });
  expect(ConsumedCapacity).toMatchObject({ CapacityUnits: 1 });
  const counts = await time.run(Promise.all([add('a'), add('a'), add('a')]));
  expect(counts.map(({ Attributes: { seen } = {} }) => seen as number).sort()).toEqual([2, 3, 4]);
  const writing = outcomeOf(write(put('a')));
  const late = time.sleep(4).then(() => outcomeOf(add('a')));
  expect(await time.run(Promise.all([writing, late]))).toEqual(['done', 'TransactionConflictException']);
  expect(await time.run(get('a'))).toEqual(keyOf('a'));
  expect(commits.map(({ writes }) => writes[0]?.after?.['seen']?.N)).toEqual(['1', '2', '3', '4', undefined]);
});

test('An index lags behind the table, and shows the versions of one item in order', async () => {
  const world = newDocuments({ lateIndexChance: 0.3 });
  const { time, documents, write, get } = world;
  const ranksInIndex = async () => {
    const { Items = [] } = await documents.send(
      new QueryCommand({
        TableName,
        IndexName: 'gsi1',
        KeyConditionExpression: 'gsi1pk = :pk',
        ExpressionAttributeValues: { ':pk': 'V' },
      }),
    );
    return Items.map(({ gsi1sk }) => gsi1sk as number);
  };
  const seen: number[] = [];
  let behind = false;
  for (let rank = 1; rank <= 30; rank++) {
    await time.run(write(put('a', { gsi1pk: 'V', gsi1sk: rank })));
    const ranks = await time.run(ranksInIndex());
    expect(ranks.length).toBeLessThanOrEqual(1);
    seen.push(...ranks);
    behind ||= ranks[0] !== rank;
    expect(await time.run(get('a'))).toMatchObject({ gsi1sk: rank });
  }
  expect(behind).toBe(true);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  await settle(world);
  expect(await time.run(ranksInIndex())).toEqual([30]);
  await time.run(write({ Delete: { TableName, Key: keyOf('a') } }));
  await settle(world);
  expect(await time.run(ranksInIndex())).toEqual([]);
});

test('An eventually consistent read shows a current or recent version of an item at half the cost', async () => {
  const { time, documents, write, get } = newDocuments({ staleReadChance: 0.5, staleness: [0, 30] });
  const cheap = () =>
    documents.send(
      new GetCommand({ TableName, Key: keyOf('a'), ConsistentRead: false, ReturnConsumedCapacity: 'TOTAL' }),
    );
  const [behindBy, storedAt] = [new Set<number>(), [] as number[]];
  for (let n = 0; n < 200; n++) {
    await time.run(write(put('a', { n })));
    storedAt.push(time.now);
    const { Item, ConsumedCapacity } = await time.run(cheap());
    expect(ConsumedCapacity?.CapacityUnits).toBe(0.5);
    const seen = Item ? Number(Item['n']) : -1;
    behindBy.add(n - seen);
    // A stale read shows a version that was replaced at most this long ago.
    expect(time.now - (storedAt[seen + 1] ?? time.now)).toBeLessThan(30 + 5);
    expect((await time.run(get('a')))?.['n']).toBe(n);
  }
  expect(Math.min(...behindBy)).toBe(0);
  expect(Math.max(...behindBy)).toBeGreaterThan(1);
  await time.run(time.sleep(40));
  for (let count = 0; count < 20; count++) expect((await time.run(cheap())).Item?.['n']).toBe(199);
});

test('A token makes a repeated transaction harmless for ten minutes', async () => {
  const { time, documents, commits, engine } = newDocuments(fixed);
  const sent = (n: number) =>
    documents.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName,
              Key: keyOf('a'),
              UpdateExpression: 'ADD n :n',
              ExpressionAttributeValues: { ':n': n },
            },
          },
        ],
        ClientRequestToken: 'token',
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
  const first = outcomeOf(sent(1));
  const meanwhile = time.sleep(2).then(() => outcomeOf(sent(1)));
  expect(await time.run(Promise.all([first, meanwhile]))).toEqual(['done', 'TransactionInProgressException']);
  // A repeat pays for reading the items that it would have written.
  expect((await time.run(sent(1))).ConsumedCapacity).toMatchObject([{ ReadCapacityUnits: 2 }]);
  expect(await time.run(outcomeOf(sent(2)))).toBe('IdempotentParameterMismatchException');
  expect(commits.length).toBe(1);
  await time.run(time.sleep(10 * 60_000));
  expect(await time.run(outcomeOf(sent(2)))).toBe('done');
  expect(commits.map(({ token, writes }) => [token, writes[0]?.after?.['n']?.N])).toEqual([
    ['token', '1'],
    ['token', '3'],
  ]);
  expect(engine.stats.transactions).toMatchObject({ sent: 5, stored: 2, repeated: 1 });
});

test('A cancelled transaction can be sent again with its token', async () => {
  const { time, documents, write } = newDocuments();
  const input = {
    TransactItems: [{ Put: { ...put('a').Put, ConditionExpression: 'attribute_not_exists(pk)' } }],
    ClientRequestToken: 'token',
  };
  await time.run(write(put('a')));
  expect(await time.run(outcomeOf(documents.send(new TransactWriteCommand(input))))).toBe(
    'ConditionalCheckFailed',
  );
  await time.run(write({ Delete: { TableName, Key: keyOf('a') } }));
  expect(await time.run(outcomeOf(documents.send(new TransactWriteCommand(input))))).toBe('done');
});

test('A batch may leave some keys unprocessed, but not all', async () => {
  const { time, documents, write } = newDocuments({ unprocessedChance: 1 });
  await time.run(write(put('a'), put('b'), put('c')));
  const Keys = ['a', 'b', 'c'].map(keyOf);
  const { Responses, UnprocessedKeys } = await time.run(
    documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } })),
  );
  const found = (Responses?.[TableName] ?? []).map(({ sk }) => sk as string);
  const left = (UnprocessedKeys?.[TableName]?.Keys ?? []).map(({ sk }) => sk as string);
  expect(found.length).toBe(1);
  expect([...found, ...left].sort()).toEqual(['a', 'b', 'c']);
  expect(UnprocessedKeys?.[TableName]?.ConsistentRead).toBe(true);
});

test('A query or a scan ends at one megabyte and can continue from there', async () => {
  const { time, documents, write } = newDocuments();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const sk of names) await time.run(write(put(sk, { text: 'x'.repeat(300_000) })));
  const pages: string[][] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const input = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'P' },
      ExclusiveStartKey,
      ScanIndexForward: false,
    };
    const reply = await time.run(documents.send(new QueryCommand(input)));
    pages.push((reply.Items ?? []).map(({ sk }) => sk as string));
    ExclusiveStartKey = reply.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  expect(pages).toEqual([
    ['f', 'e', 'd'],
    ['c', 'b', 'a'],
  ]);

  const scanned: string[] = [];
  let count = 0;
  do {
    const input = { TableName, ExclusiveStartKey, Limit: 2 };
    const reply: ScanCommandOutput = await time.run(documents.send(new ScanCommand(input)));
    scanned.push(...(reply.Items ?? []).map(({ sk }) => sk as string));
    ExclusiveStartKey = reply.LastEvaluatedKey;
    count++;
  } while (ExclusiveStartKey);
  expect(scanned).toEqual(names);
  expect(count).toBe(4);
});

test('If a coordinator dies, its items are held until another one decides, or applies what it has not', async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) {
    const behaviour = { ...fixed, apply: [1, 1], coordinatorDeathChance: 1, recovery: [3000, 3000] } as const;
    const world = newDocuments(behaviour, seed);
    const { time, write, get, add, commits } = world;
    const writing = outcomeOf(write(put('a', { n: 1 }), put('b', { n: 1 })));
    await time.run(time.sleep(2500));
    const items = await time.run(Promise.all([get('a'), get('b')]));
    seen.add(`${commits.length} ${items.map((item) => (item ? 'new' : 'old')).join()}`);
    const updates = await time.run(Promise.all([outcomeOf(add('a')), outcomeOf(add('b'))]));
    // An applied item is free; every other item is held.
    expect(updates).toEqual(items.map((item) => (item ? 'done' : 'TransactionConflictException')));
    await settle(world);
    expect(await time.run(Promise.all([get('a'), get('b')]))).toMatchObject([{ n: 1 }, { n: 1 }]);
    if (!items.every(Boolean)) expect(await time.run(writing)).toBe('TimeoutError');
  }
  expect([...seen].sort()).toEqual(['0 old,old', '1 new,new', '1 new,old', '1 old,new', '1 old,old']);
});
