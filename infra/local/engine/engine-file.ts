import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * The file of the engine, Dynoxide, is an SQLite database in WAL mode. Deleted bytes stay in free pages and
 * in the WAL until something else overwrites them.
 */

/** Milliseconds to wait for a write of the engine. */
const timeout = 1000;

/** Marker file: bytes of an erased person may still be in the database file. */
const markerOf = (file: string) => `${file}-erased`;

/**
 * Rewrites the file from the rows that are stored now, so that no deleted byte is left. The engine may run:
 * its reads go on, and its writes wait. If this fails or is killed, `prepareEngineFile` completes it.
 * @throws Error if another process holds the file for too long
 */
export function compactEngineFile(file: string): void {
  const marker = markerOf(file);
  writeFileSync(marker, '');
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec('VACUUM');
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    if (busy !== 0) throw new Error(`Another process reads ${file}`);
  } finally {
    database.close();
  }
  rmSync(marker);
}

/**
 * Completes a `compactEngineFile` that failed or was killed. Call it while the engine does not run. Does
 * nothing if the file does not exist.
 */
export function prepareEngineFile(file: string): void {
  if (existsSync(file) && existsSync(markerOf(file))) compactEngineFile(file);
}
