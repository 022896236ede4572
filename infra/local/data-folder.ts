import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { isLocked, tryLock } from './file-lock.ts';
import { LocalError } from './local-error.ts';

/** What other commands on this computer need to know of a running machine. */
const RunningMachine = v.object({
  /** Where its database is. */
  endpoint: v.string(),
  tableName: v.string(),
  /** Where its stand-in for the SMS provider is. */
  smsEndpoint: v.optional(v.string()),
  /** The topic that text messages come in by; undefined where its template has none. */
  textsTopicArn: v.optional(v.string()),
});
export type RunningMachine = v.InferOutput<typeof RunningMachine>;

/** What `npm start` writes about itself: its process id, and where it is once it is ready. */
const MachineFile = v.object({ process: v.number(), database: v.optional(RunningMachine) });
type MachineFile = v.InferOutput<typeof MachineFile>;

/** Where a running machine keeps its files. */
export interface DataFolder {
  assembly: string;
  database?: string;
  /** The folder of what is in queues. */
  queues?: string;
  /** The file of the text messages sent: one JSON object per line. */
  texts: string;
  /** The file of the numbers of leads that are being erased: there only while some are. */
  erasing: string;
  /** The folder of the logs, which are new with each start. */
  logs: string;
  /** Tells other commands on this computer where the machine is. Does nothing for one in memory. */
  readonly announce: (machine: RunningMachine) => void;
  /** Frees the folder for another start; removes a temporary one. */
  readonly release: () => void;
}

/** A folder that `release` removes, for a database in memory. */
export function temporaryFolder(): DataFolder {
  const folder = mkdtempSync(join(tmpdir(), 'sales-pipeline-'));
  return {
    assembly: join(folder, 'assembly'),
    texts: join(folder, 'sms.jsonl'),
    erasing: join(folder, 'erasing.json'),
    logs: join(folder, 'logs'),
    announce: () => undefined,
    release: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Locks a folder for this process. @throws LocalError if another start has it, or it cannot be written */
export function takeFolder(folder: string): DataFolder {
  const { lock, machine } = filesIn(folder);
  const writeState = (database?: RunningMachine) => {
    const state: MachineFile = { process: process.pid, ...(database && { database }) };
    writeFileSync(machine, JSON.stringify(state));
  };
  let unlock: (() => void) | undefined;
  try {
    makePrivate(folder);
    accessSync(folder, constants.W_OK);
    const held = tryLock(lock);
    unlock = held;
    if (!held) {
      const holder = read(machine);
      throw new LocalError(
        `The data folder ${folder} is in use by ${holder ? `process ${holder.process}` : 'another "npm start"'}: ` +
          'stop it, or choose another --data.',
      );
    }
    writeState();
    return {
      assembly: join(folder, 'assembly'),
      database: join(folder, 'dynamodb.sqlite'),
      queues: join(folder, 'queues'),
      texts: join(folder, 'sms.jsonl'),
      erasing: join(folder, 'erasing.json'),
      logs: join(folder, 'logs'),
      announce: writeState,
      release: () => {
        rmSync(machine, { force: true });
        held();
      },
    };
  } catch (error) {
    unlock?.();
    throw error instanceof LocalError ? error : unusable(folder, error);
  }
}

/**
 * Makes a folder that nobody else can look into; also one that is there already, if it is this user's.
 * @throws LocalError for one that all users write to, such as /tmp, which others need as it is
 */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if ((mode & constants.S_IWOTH) !== 0)
    throw new LocalError(`All users write to ${folder}: choose a --data that is yours alone.`);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The machine that runs with a data folder. @throws LocalError if none does, or it is not ready */
export function findMachine(folder: string): RunningMachine {
  const { lock, machine } = filesIn(folder);
  if (!isHeld(folder, lock)) {
    throw new LocalError(
      `No "npm start" runs with the data folder ${folder}: run it first (without --memory), or name its folder with ` +
        '--data.',
    );
  }
  const database = read(machine)?.database;
  if (!database) {
    throw new LocalError(
      `"npm start" is not ready yet with the data folder ${folder}: try again in a moment.`,
    );
  }
  return database;
}

/** @throws LocalError if the lock cannot be read */
function isHeld(folder: string, lock: string): boolean {
  try {
    return isLocked(lock);
  } catch (error) {
    throw unusable(folder, error);
  }
}

const unusable = (folder: string, error: unknown) =>
  new LocalError(`The data folder ${folder} cannot be used: ${error instanceof Error ? error.message : ''}`);

const filesIn = (folder: string) => ({
  lock: join(folder, 'lock.sqlite'),
  machine: join(folder, 'machine.json'),
});

/** The file of the last start; undefined if there is none, or it is just being written. */
function read(machine: string): MachineFile | undefined {
  try {
    return v.parse(v.pipe(v.string(), v.parseJson(), MachineFile), readFileSync(machine, 'utf8'));
  } catch {
    return undefined;
  }
}
