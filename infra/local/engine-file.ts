import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * The file of the engine, Dynoxide: an SQLite database in WAL mode. What is deleted stays in it as bytes, in pages that
 * are free and in the WAL, until something else is written there.
 */

/** How long to wait for a write of the engine's to end, in milliseconds. */
const timeout = 1000;

/** What says that bytes of someone who was erased may still be in the file. */
const markerOf = (file: string) => `${file}-erased`;

/**
 * Makes the file anew out of what is stored now, so that no byte of what was deleted is left. The engine may run: reads
 * go on, its writes wait for as long as this takes. Where this fails, or is killed, `prepareEngineFile` makes up for it.
 * @throws Error if another process holds the file for too long
 */
export function compactEngineFile(file: string): void {
  const marker = markerOf(file);
  writeFileSync(marker, '');
  withDatabase(file, (database) => {
    database.exec('VACUUM');
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    if (busy !== 0) throw new Error(`Another process reads ${file}`);
  });
  rmSync(marker);
}

/**
 * To be called while the engine does not run. Takes out what an earlier version's stream kept of every change, for good,
 * and makes up for a `compactEngineFile` that failed or was killed. Does nothing where there is no file yet.
 */
export function prepareEngineFile(file: string): void {
  if (!existsSync(file)) return;
  const hadStream = withDatabase(file, (database) => {
    const names = database.prepare('SELECT name FROM sqlite_schema').all();
    if (!names.some(({ name }) => name === '_stream_records')) return false;
    database.exec('UPDATE _tables SET stream_enabled = 0 WHERE stream_enabled <> 0');
    return database.prepare('DELETE FROM _stream_records').run().changes > 0;
  });
  if (hadStream || existsSync(markerOf(file))) compactEngineFile(file);
}

function withDatabase<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
