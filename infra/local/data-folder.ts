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

/** Facts that other commands on this computer need about a running machine. */
const RunningMachine = v.object({
  /** Endpoint of the database. */
  endpoint: v.string(),
  tableName: v.string(),
  /** Endpoint of the stand-in for the SMS provider. */
  smsEndpoint: v.optional(v.string()),
  /** Topic of incoming SMS; undefined if the template has none. */
  textsTopicArn: v.optional(v.string()),
  /** Endpoint of the stand-in for KMS, and the key of secrets. */
  secrets: v.optional(v.object({ endpoint: v.string(), key: v.string() })),
});
export type RunningMachine = v.InferOutput<typeof RunningMachine>;

/** Facts that `npm start` writes about itself: its process id and, once it is ready, its endpoints. */
const MachineFile = v.object({ process: v.number(), database: v.optional(RunningMachine) });
type MachineFile = v.InferOutput<typeof MachineFile>;

/** Files of a running machine. */
export interface DataFolder {
  database?: string;
  /** Folder of the messages in queues. */
  queues?: string;
  /** File of the keys of secrets. */
  keys?: string;
  /** File of the SMS sent: one JSON object per line. */
  sentSmsFile: string;
  /** File of the phone numbers of leads that are being erased. The file exists only during an erasure. */
  erasing: string;
  /** Folder of the logs, which each start writes anew. */
  logs: string;
  /** Tells other commands on this computer about the machine. Does nothing for a machine in memory. */
  readonly announce: (machine: RunningMachine) => void;
  /** Unlocks the folder for another start. Removes a temporary folder. */
  readonly release: () => void;
}

/** Creates a folder that `release` removes, for a database in memory. */
export function temporaryFolder(): DataFolder {
  const folder = mkdtempSync(join(tmpdir(), 'sales-pipeline-'));
  return {
    sentSmsFile: join(folder, 'sms.jsonl'),
    erasing: join(folder, 'erasing.json'),
    logs: join(folder, 'logs'),
    announce: () => undefined,
    release: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Locks a folder for this process.
 * @throws LocalError if another start has it, or it cannot be written
 */
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
      database: join(folder, 'dynamodb.sqlite'),
      queues: join(folder, 'queues'),
      keys: join(folder, 'keys.json'),
      sentSmsFile: join(folder, 'sms.jsonl'),
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
 * Makes a folder private. Creates it if necessary; restricts an existing one if it belongs to this user.
 * @throws LocalError for a folder that all users can write to, such as /tmp: others need its permissions
 */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if ((mode & constants.S_IWOTH) !== 0)
    throw new LocalError(`All users write to ${folder}: choose a --data that is yours alone.`);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/**
 * Finds the machine that runs with a data folder.
 * @throws LocalError if none does, or it is not ready
 */
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

/** Reads the file of the last start. Undefined if there is none, or if it is being written. */
function read(machine: string): MachineFile | undefined {
  try {
    return v.parse(v.pipe(v.string(), v.parseJson(), MachineFile), readFileSync(machine, 'utf8'));
  } catch {
    return undefined;
  }
}
