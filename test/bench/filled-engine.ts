import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { engineBinary } from '../../infra/local/engine/engine-binary.ts';
import { startEngine, type Engine } from '../../infra/local/engine.ts';
import { LocalError } from '../../infra/local/local-error.ts';

/** Key of the table of this benchmark, for CreateTable. */
export const keyOfTable = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
} as const;

/**
 * Starts Dynoxide on a database with this table, which has neither indexes nor a stream. Items are lines of
 * DynamoDB's export format, `{"Item": …}`. Dynoxide's program imports them three times faster than calls can
 * write them.
 *
 * @throws LocalError if another engine is set, or the import fails
 */
export async function startFilledEngine(TableName: string, lines: Iterable<string>): Promise<Engine> {
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
    await writeExport(join(source, TableName, 'data'), lines);
    writeFileSync(schema, JSON.stringify([{ Table: { TableName, ...keyOfTable } }]));
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
