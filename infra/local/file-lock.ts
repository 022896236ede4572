import { accessSync, constants, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * A lock that one process holds at a time, and that ends with the process, however the process ends.
 *
 * Node.js has no file locks, so SQLite locks an empty database. The operating system frees that lock on every
 * platform. Containers that share the folder share the lock, too, unlike a socket or a process id. The file
 * is never deleted: otherwise one process could lock the deleted file, and another a new one.
 */

/** Milliseconds that `tryLock` waits for another process's `isLocked`. */
const timeout = 500;

/** SQLITE_BUSY: another connection has the lock. */
const busy = 5;

/**
 * Takes the lock. Returns a function that frees it; keep a reference to it until then. Undefined if another
 * process has the lock.
 * @throws Error if the file cannot be written
 */
export function tryLock(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout });
  try {
    // SQLite opens a read-only file without an error, and then locks nothing.
    accessSync(file, constants.W_OK);
    // Without this, SQLite would create a journal on disk, although nothing is written.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => {
      database.close();
    };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** True if a process has the lock. Takes a shared lock for a short time, which `tryLock` waits out. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('SELECT * FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === busy;
