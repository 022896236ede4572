import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { cancellationReasons, classifyError } from '../../shared/ledger/internal/dynamodb-errors.ts';
import type { Behaviour } from './dynamodb.ts';
import { ledgerTable, newSimulatedTable } from './simulated-table.ts';

const TableName = ledgerTable.name;
const Key = { pk: 'P', sk: 'a' };

function newWorld(behaviour: Partial<Behaviour> = {}) {
  const table = newSimulatedTable(behaviour);
  const documents = DynamoDBDocumentClient.from(table.client);
  const write = (n: number, options = {}) =>
    documents.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { ...Key, n } } },
          { Put: { TableName, Item: { pk: 'P', sk: 'b', n } } },
        ],
        ClientRequestToken: `token ${n}`,
      }),
      options,
    );
  const read = () => documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return { ...table, documents, write, read };
}

type World = ReturnType<typeof newWorld>;
type Fault = keyof Behaviour['faults'];

/**
 * Makes one call with a fault of probability 1. Returns its error, its duration, and whether it was carried
 * out by then.
 */
async function fated(
  world: World,
  fault: Fault,
  call: () => Promise<unknown>,
): Promise<{ error: Error | undefined; milliseconds: number; committed: number }> {
  const { time, engine, commits } = world;
  engine.behaviour.faults[fault] = 1;
  const began = time.now;
  const failing = call();
  const error = await time.run(
    failing.then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    ),
  );
  engine.behaviour.faults[fault] = 0;
  return { error, milliseconds: time.now - began, committed: commits.length };
}

test('A throttled read is refused in one of two ways, a transaction by the reason of one of its parts', async () => {
  const world = newWorld();
  const names = new Set<string | undefined>();
  for (let count = 0; count < 20; count++) {
    const { error } = await fated(world, 'throttled', world.read);
    names.add(error?.name);
    expect(classifyError(error)).toBe('refused');
  }
  expect([...names].sort()).toEqual(['ProvisionedThroughputExceededException', 'ThrottlingException']);
  const { error, committed } = await fated(world, 'throttled', () => world.write(1));
  const codes = cancellationReasons(error).map(({ Code }) => Code);
  expect(codes.sort()).toEqual(['None', 'ThrottlingError']);
  expect(classifyError(error)).toBe('refused');
  expect(committed).toBe(0);
  await world.time.run(world.write(1));
});

test('A lost request is never carried out, and fails by a reset or after two seconds', async () => {
  const world = newWorld({ timeoutChance: 0 });
  const reset = await fated(world, 'requestLost', () => world.write(1));
  expect(reset.error).toMatchObject({ name: 'TimeoutError', code: 'ECONNRESET' });
  expect(reset.milliseconds).toBeLessThan(2);
  world.engine.behaviour.timeoutChance = 1;
  const timeout = await fated(world, 'requestLost', () => world.write(1));
  expect(timeout.error).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' });
  expect(timeout.milliseconds).toBeCloseTo(2000);
  expect([reset.error, timeout.error].map(classifyError)).toEqual(['unknown', 'unknown']);
  await world.time.run(world.time.sleep(20_000));
  expect(world.commits).toEqual([]);
});

test('A call with a lost reply fails and is carried out', async () => {
  const world = newWorld({ timeoutChance: 0 });
  const reset = await fated(world, 'replyLost', () => world.write(1));
  expect(reset.error).toMatchObject({ code: 'ECONNRESET' });
  expect(reset.committed).toBe(1);
  world.engine.behaviour.timeoutChance = 1;
  const timeout = await fated(world, 'replyLost', () => world.write(2));
  expect(timeout.error).toMatchObject({ code: 'ETIMEDOUT' });
  expect(timeout.committed).toBe(2);
  expect(await world.time.run(world.read())).toMatchObject({ Item: { n: 2 } });
});

test('A delayed request is carried out after its sender gave up', async () => {
  const world = newWorld();
  const { time, commits, engine, write, read } = world;
  const delayed = await fated(world, 'requestDelayed', () => write(1));
  expect(delayed.error).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' });
  expect(delayed.milliseconds).toBeCloseTo(2000);
  expect(delayed.committed).toBe(0);
  expect(engine.isIdle).toBe(false);
  expect(await time.run(read())).not.toHaveProperty('Item');
  await time.run(() => commits.length === 1);
  await time.run(() => engine.isIdle);
  expect(await time.run(read())).toMatchObject({ Item: { n: 1 } });
});

test('A delayed request does nothing if its token was sent again meanwhile', async () => {
  const world = newWorld();
  const { time, commits, engine, write } = world;
  await fated(world, 'requestDelayed', () => write(1));
  await time.run(write(1));
  await time.run(write(2));
  await time.run(() => engine.isIdle);
  expect(commits.map(({ token }) => token)).toEqual(['token 1', 'token 2']);
  expect(engine.stats.transactions.repeated).toBe(1);
});

test('An internal error comes before or after the call is carried out', async () => {
  const world = newWorld();
  const before = await fated(world, 'errorBefore', () => world.write(1));
  expect(before.committed).toBe(0);
  const after = await fated(world, 'errorAfter', () => world.write(1));
  expect(after.committed).toBe(1);
  for (const { error } of [before, after]) {
    expect(error).toMatchObject({ name: 'InternalServerError', $fault: 'server' });
    expect(classifyError(error)).toBe('unknown');
  }
});

test('Reads get lost and delayed too', async () => {
  const world = newWorld({ timeoutChance: 1 });
  for (const fault of ['requestLost', 'requestDelayed', 'replyLost'] as const) {
    const { error, milliseconds } = await fated(world, fault, world.read);
    expect(error?.name).toBe('TimeoutError');
    expect(milliseconds).toBeCloseTo(2000);
  }
});

test('The frequency of faults matches their probability', async () => {
  const { time, engine, read } = newWorld({ timeoutChance: 0 });
  engine.behaviour.faults.throttled = 0.1;
  engine.behaviour.faults.replyLost = 0.2;
  const fates = { refused: 0, unknown: 0, fatal: 0 };
  for (let count = 0; count < 1000; count++) {
    await time.run(read().catch((error: unknown) => fates[classifyError(error)]++));
  }
  expect(fates.refused).toBeGreaterThan(70);
  expect(fates.refused).toBeLessThan(130);
  expect(fates.unknown).toBeGreaterThan(160);
  expect(fates.unknown).toBeLessThan(240);
  expect(fates.fatal).toBe(0);
});

test('A slow reply comes after its sender gave up', async () => {
  const { time, commits, write } = newWorld({ apply: [3000, 3000] });
  await expect(time.run(write(1))).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(commits.length).toBe(1);
});

test('An aborted call fails at once and is carried out', async () => {
  const { time, commits, write, engine } = newWorld();
  const began = time.now;
  const ending = new AbortController();
  time.at(3, () => {
    ending.abort();
  });
  await expect(time.run(write(1, { abortSignal: ending.signal }))).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(time.now - began).toBe(3);
  await time.run(() => commits.length === 1);
  await expect(time.run(write(2, { abortSignal: ending.signal }))).rejects.toMatchObject({
    name: 'AbortError',
  });
  await time.run(time.sleep(100));
  expect(commits.length).toBe(1);
  expect(engine.isIdle).toBe(true);
});

test('A dead sender gets no reply, and its calls are carried out', async () => {
  const { time, commits, write, read, sender, engine } = newWorld();
  let settled = false;
  const note = () => {
    settled = true;
  };
  write(1).then(note, note);
  await time.run(time.sleep(1));
  sender.dead = true;
  read().then(note, note);
  await time.run(time.sleep(10_000));
  expect(settled).toBe(false);
  expect(commits.length).toBe(1);
  expect(engine.stats.calls).toEqual({ TransactWriteItems: 1 });
});
