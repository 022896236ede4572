import {
  CreateTableCommand,
  DeleteItemCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  type CreateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientOf, freeAddress, startEngine, type Engine } from '../../../infra/local/engine.ts';
import { listenOnLoopback, loopback } from '../../../infra/local/loopback.ts';
import { newFolder } from '../../support/new-folder.ts';

const TableName = 'People';
const secret = 'Ann Lee of 1 Example Street';
const shape = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
} as const satisfies CreateTableCommandInput;

let folder: string;
let file: string;
const engines: Engine[] = [];
beforeEach(() => {
  folder = newFolder();
  file = join(folder, 'dynamodb.sqlite');
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function start() {
  const engine = await startEngine(file);
  engines.push(engine);
  return { engine, client: clientOf(engine) };
}

/** Files of the folder that contain the bytes. */
const filesWith = (text: string) =>
  readdirSync(folder)
    .filter((name) => readFileSync(join(folder, name)).includes(text))
    .sort();

const item = (pk: string, name: string) => ({ pk: { S: pk }, name: { S: name.repeat(20) } });

/** Makes the table. Stores an item that stays and an item that is deleted, often enough to fill pages. */
async function fill({ client }: Awaited<ReturnType<typeof start>>): Promise<void> {
  await client.send(new CreateTableCommand(shape));
  const put = (pk: string, name: string) => ({ Put: { TableName, Item: item(pk, name) } });
  const people = Array.from({ length: 30 }, (_, at) => [
    put(`Goes ${at}`, secret),
    put(`Stays ${at}`, 'Bo Ray'),
  ]);
  await client.send(new TransactWriteItemsCommand({ TransactItems: people.flat() }));
  for (let at = 0; at < 30; at++)
    await client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: `Goes ${at}` } } }));
}

describe('a deleted item', () => {
  test("stays as bytes in the engine's files until they are compacted, also while others write", async () => {
    const started = await start();
    const { engine, client } = started;
    await fill(started);
    expect(filesWith(secret)).not.toEqual([]);
    const writes = Array.from({ length: 20 }, (_, at) =>
      client.send(new PutItemCommand({ TableName, Item: item(`Comes ${at}`, 'Zoe Fox') })),
    );
    engine.compact();
    await Promise.all(writes);
    expect(filesWith(secret)).toEqual([]);
    for (const pk of ['Stays 7', 'Comes 19'])
      expect(
        (await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }))).Item,
      ).toBeDefined();
  });

  test('is removed at the end or the next start if another process reads the file meanwhile', async () => {
    const started = await start();
    await fill(started);
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM People').get();
    expect(() => {
      started.engine.compact();
    }).toThrow();
    expect(filesWith(secret)).not.toEqual([]);
    reader.close();
    await started.engine.close();
    expect(filesWith(secret)).toEqual([]);
    expect(existsSync(`${file}-erased`)).toBe(false);
  });

  test('is removed at the next start after a kill', async () => {
    const started = await start();
    await fill(started);
    // A machine that was killed between the two steps leaves this.
    await engines.splice(0)[0]?.close();
    writeFileSync(`${file}-erased`, '');
    expect(filesWith(secret)).toEqual(['dynamodb.sqlite']);
    await start();
    expect(filesWith(secret)).toEqual([]);
  });
});

test('the engine takes another port if a program has taken the chosen one, and gives up in the end', async () => {
  const server = createServer();
  const taken = { host: loopback, port: await listenOnLoopback(server) };
  const chosen = [taken, taken, await freeAddress([loopback])];
  const engine = await startEngine(undefined, () => Promise.resolve(chosen.shift() ?? taken));
  engines.push(engine);
  expect(chosen).toEqual([]);
  await clientOf(engine).send(new ListTablesCommand());
  await expect(startEngine(undefined, () => Promise.resolve(taken))).rejects.toThrow('already in use');
  server.close();
});
