import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { LocalError } from './local-error.ts';

/** Where the database of a running machine is. */
const RunningMachine = v.object({ endpoint: v.string(), tableName: v.string() });
export type RunningMachine = v.InferOutput<typeof RunningMachine>;

/** Where a running machine keeps its things. */
export interface DataFolder {
  assembly: string;
  database?: string;
  /** The file of the text messages sent, one as JSON a line. */
  texts: string;
  /** Tells other commands on this computer where the database is; nothing does for one in memory. */
  readonly announce: (machine: RunningMachine) => void;
  /** Gives the folder free for another start; one in memory is removed. */
  readonly release: () => void;
}

/** A folder that vanishes at the end, for a database in memory. */
export function temporaryFolder(): DataFolder {
  const folder = mkdtempSync(join(tmpdir(), 'sales-pipeline-'));
  return {
    assembly: join(folder, 'assembly'),
    texts: join(folder, 'sms.jsonl'),
    announce: () => undefined,
    release: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Takes a folder for this process alone. @throws LocalError when another start has it, or it cannot be written. */
export function takeFolder(folder: string): DataFolder {
  const { lock, machine } = filesIn(folder);
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
    // As may this be.
    rmSync(machine, { force: true });
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
    announce: (running) => {
      writeFileSync(machine, JSON.stringify(running));
    },
    release: () => {
      rmSync(machine, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

/** The machine that runs on a data folder. @throws LocalError when none does, or none that is ready. */
export function findMachine(folder: string): RunningMachine {
  const { lock, machine } = filesIn(folder);
  if (!isRunning(Number(read(lock)))) {
    throw new LocalError(
      `Nothing runs on the data in ${folder}: run "npm start" first (without --memory), or name its folder with --data.`,
    );
  }
  const running = v.safeParse(v.pipe(v.string(), v.parseJson(), RunningMachine), read(machine));
  if (!running.success) {
    throw new LocalError(`"npm start" is not ready yet on the data in ${folder}: try again in a moment.`);
  }
  return running.output;
}

const filesIn = (folder: string) => ({ lock: join(folder, 'lock'), machine: join(folder, 'machine.json') });

/** The text of a file; undefined where there is none. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
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
