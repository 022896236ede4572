import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from './local-error.ts';

/** Where a running machine keeps its things. */
export interface DataFolder {
  assembly: string;
  database?: string;
  /** The file of the text messages sent, one as JSON a line. */
  texts: string;
  /** Gives the folder free for another start; one in memory is removed. */
  readonly release: () => void;
}

/** A folder that vanishes at the end, for a database in memory. */
export function temporaryFolder(): DataFolder {
  const folder = mkdtempSync(join(tmpdir(), 'sales-pipeline-'));
  return {
    assembly: join(folder, 'assembly'),
    texts: join(folder, 'sms.jsonl'),
    release: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Takes a folder for this process alone. @throws LocalError when another start has it, or it cannot be written. */
export function takeFolder(folder: string): DataFolder {
  const lock = join(folder, 'lock');
  try {
    mkdirSync(folder, { recursive: true });
    if (!write(lock)) {
      const owner = Number(readFileSync(lock, 'utf8'));
      if (isRunning(owner)) {
        throw new LocalError(
          `The data in ${folder} is in use by process ${owner}: stop it, or choose another --data (if that process is ` +
            `something else, delete ${lock}).`,
        );
      }
      // Left behind by a start that was killed.
      rmSync(lock, { force: true });
      write(lock);
    }
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(
      `The data folder ${folder} cannot be used: ${error instanceof Error ? error.message : ''}`,
    );
  }
  return {
    assembly: join(folder, 'assembly'),
    database: join(folder, 'dynamodb.sqlite'),
    texts: join(folder, 'sms.jsonl'),
    release: () => {
      rmSync(lock, { force: true });
    },
  };
}

/** Writes the lock; false when there is one. */
function write(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
