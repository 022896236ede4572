import { accessSync, constants, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * A lock that one process has at a time, and that ends with this process, however that ends.
 *
 * Node.js has no call for one, so SQLite takes it, on an empty database: the operating system frees it on every
 * platform, and containers that share the folder see each other's, where a socket or a process number says nothing. The
 * file stays: who opened it before it was deleted could get the lock beside one who made it anew.
 */

/** How long a process that takes the lock waits for one that only asks whether it is taken, in milliseconds. */
const patience = 500;

/** SQLite's code for what another connection has locked. */
const busy = 5;

/**
 * Takes the lock. What it gives frees it again, and has to be kept until then; undefined when another has the lock.
 * @throws Error when the file cannot be written
 */
export function tryLock(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout: patience });
  try {
    // What it may not write, SQLite opens for reading, and then locks nothing.
    accessSync(file, constants.W_OK);
    // Nothing is written, but a journal on disk would be made.
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

/** Whether a process has the lock now. To see that, this shares it for a moment, for which `tryLock` waits. */
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
