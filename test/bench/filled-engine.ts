import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { engineBinary } from '../../infra/local/engine-binary.ts';
import { startEngine, type Engine } from '../../infra/local/engine.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { listIndexes, searchIndexes } from '../../shared/ledger/internal/keys.ts';

/** Keys and indexes of a table, for CreateTable. */
interface Shape {
  KeySchema: readonly object[];
  AttributeDefinitions: readonly object[];
  GlobalSecondaryIndexes?: readonly object[];
}

/** Key of every table of this benchmark, for CreateTable. */
export const keyOfTables = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
} as const;

/** Key and all indexes of the service's table. Indexes have whole items. */
export const withIndexes: Shape = shapeWith(listIndexes, searchIndexes);

/** Key and indexes: some sort by a number, others by a text. */
function shapeWith(byNumber: readonly string[], byText: readonly string[]): Shape {
  const index = (IndexName: string) => ({
    IndexName,
    KeySchema: [
      { AttributeName: `${IndexName}pk`, KeyType: 'HASH' },
      { AttributeName: `${IndexName}sk`, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'ALL' },
  });
  const attributes = (name: string, AttributeType: string) => [
    { AttributeName: `${name}pk`, AttributeType: 'S' },
    { AttributeName: `${name}sk`, AttributeType },
  ];
  return {
    ...keyOfTables,
    AttributeDefinitions: [
      ...keyOfTables.AttributeDefinitions,
      ...byNumber.flatMap((name) => attributes(name, 'N')),
      ...byText.flatMap((name) => attributes(name, 'S')),
    ],
    GlobalSecondaryIndexes: [...byNumber, ...byText].map(index),
  };
}

/**
 * Starts Dynoxide on a database with these tables, which have one shape and no streams. Items are lines of
 * DynamoDB's export format, `{"Item": …}`. Dynoxide's program imports them three times faster than calls can
 * write them.
 *
 * @throws LocalError if another engine is set, or the import fails
 */
export async function startFilledEngine(
  tables: Record<string, Iterable<string>>,
  shape: Shape = keyOfTables,
): Promise<Engine> {
  if (process.env['DYNAMODB_ENDPOINT']) {
    throw new LocalError('Only Dynoxide imports a million leads in time: unset DYNAMODB_ENDPOINT');
  }
  const folder = mkdtempSync(join(tmpdir(), 'sales-pipeline-bench-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [source, schema, database] = ['export', 'schema.json', 'database'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    for (const [name, lines] of Object.entries(tables)) await writeExport(join(source, name, 'data'), lines);
    const described = Object.keys(tables).map((TableName) => ({ Table: { TableName, ...shape } }));
    writeFileSync(schema, JSON.stringify(described));
    const given = ['--source', source, '--schema', schema, '--output', database];
    await promisify(execFile)(engineBinary(), ['import', ...given]);
    rmSync(source, { recursive: true });
    const engine = await startEngine(database);
    return { ...engine, close: () => engine.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function writeExport(folder: string, lines: Iterable<string>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await pipeline(
    Readable.from(inChunks(lines)),
    createGzip({ level: 1 }),
    createWriteStream(join(folder, 'items.json.gz')),
  );
}

/** Joins lines into chunks: a stream of single lines would take longer than the import. */
function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length > 2 ** 18) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}
