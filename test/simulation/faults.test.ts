import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { cancellationReasons, classifyError } from '../../shared/ledger/internal/dynamodb-errors.ts';
import type { Behaviour, Fault } from './behaviour.ts';
import { ledgerTable, newSimulatedTable } from './simulated-table.ts';

const TableName = ledgerTable.name;
const Key = { pk: 'P', sk: 'a' };

function newWorld(behaviour: Partial<Behaviour> = {}) {
  const table = newSimulatedTable(behaviour);
  const { time, engine, commits, client } = table;
  const documents = DynamoDBDocumentClient.from(client);
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
  /** Makes one call with this fault. Returns its error, its duration, and the number of writes by then. */
  const fated = async (fault: Fault, call: () => Promise<unknown> = () => write(1)) => {
    engine.behaviour.faults[fault] = 1;
    const began = time.now;
    const failing = call();
    const error: unknown = await time.run(failing.catch((thrown: unknown) => thrown));
    engine.behaviour.faults[fault] = 0;
    return { error, milliseconds: time.now - began, committed: commits.length };
  };
  return { ...table, write, read, fated };
}

const reset = { name: 'TimeoutError', code: 'ECONNRESET' };
const timeout = { name: 'TimeoutError', code: 'ETIMEDOUT' };
const internal = { name: 'InternalServerError', $fault: 'server' };

test.each<
  [fault: Fault, timeoutChance: number, error: object, milliseconds: number, then: number, end: number]
>([
  ['requestLost', 0, reset, 2, 0, 0],
  ['requestLost', 1, timeout, 2000, 0, 0],
  ['replyLost', 0, reset, 20, 1, 1],
  ['replyLost', 1, timeout, 2000, 1, 1],
  ['requestDelayed', 0, timeout, 2000, 0, 1],
  ['errorBefore', 0, internal, 20, 0, 0],
  ['errorAfter', 0, internal, 20, 1, 1],
])(
  'With %s and a chance of a timeout of %d, a write fails with %o after at most %d ms, stored %d times then and %d in the end',
  async (fault, timeoutChance, expected, milliseconds, then, end) => {
    const { fated, time, commits, read } = newWorld({ timeoutChance });
    const failed = await fated(fault);
    expect(failed.error).toMatchObject(expected);
    expect(classifyError(failed.error)).toBe('unknown');
    expect(failed.milliseconds).toBeLessThan(milliseconds + 1);
    if (milliseconds === 2000) expect(failed.milliseconds).toBeCloseTo(2000);
    expect(failed.committed).toBe(then);
    await time.run(time.sleep(20_000));
    expect(commits.length).toBe(end);
    expect((await time.run(read())).Item?.['n']).toBe(end === 0 ? undefined : 1);
  },
);

test('A throttled read is refused in one of two ways, a transaction by the reason of one of its parts', async () => {
  const { fated, read, write, time } = newWorld();
  const names = new Set<string>();
  for (let count = 0; count < 20; count++) {
    const { error } = await fated('throttled', read);
    names.add((error as Error).name);
    expect(classifyError(error)).toBe('refused');
  }
  expect([...names].sort()).toEqual(['ProvisionedThroughputExceededException', 'ThrottlingException']);
  const { error, committed } = await fated('throttled');
  const codes = cancellationReasons(error).map(({ Code }) => Code);
  expect(codes.sort()).toEqual(['None', 'ThrottlingError']);
  expect(classifyError(error)).toBe('refused');
  expect(committed).toBe(0);
  await time.run(write(1));
});

test('A delayed request does nothing if its token was sent again meanwhile', async () => {
  const { time, commits, engine, write, fated } = newWorld();
  await fated('requestDelayed');
  await time.run(write(1));
  await time.run(write(2));
  await time.run(() => engine.isIdle);
  expect(commits.map(({ token }) => token)).toEqual(['token 1', 'token 2']);
  expect(engine.stats.transactions.repeated).toBe(1);
});

test('An aborted call fails at once and is carried out, unless it was aborted before', async () => {
  const { time, commits, write, engine } = newWorld();
  const began = time.now;
  const ending = new AbortController();
  time.at(3, () => {
    ending.abort();
  });
  const aborted = { name: 'AbortError' };
  await expect(time.run(write(1, { abortSignal: ending.signal }))).rejects.toMatchObject(aborted);
  expect(time.now - began).toBe(3);
  await time.run(() => commits.length === 1);
  await expect(time.run(write(2, { abortSignal: ending.signal }))).rejects.toMatchObject(aborted);
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
