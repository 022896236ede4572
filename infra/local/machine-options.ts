import type { MachineClock } from './clock.ts';
import type { OnPermissionCheck } from './role.ts';
import type { SentSms } from './sms-stand-in.ts';
import type { Settings } from './synthesize.ts';
import type { OnLogLine } from './logs/logs.ts';
import type { WorkerRun } from './worker-run.ts';

/** Options of a machine's start. */
export interface MachineOptions {
  /** Folder of the synthesized template and the bundles. */
  assembly: string;
  /** True if the folder has them already, from the present sources. Tests share them. */
  isSynthesized?: boolean;
  /** File of the database; in memory by default. */
  database?: string;
  /** Folder of the messages in queues; in memory by default. */
  queues?: string;
  /** Settings that replace the stage's own. */
  settings?: Settings | undefined;
  /** True if a changed source file takes effect on the next request. */
  watch: boolean;
  /** File of the SMS sent, from which an erasure removes the person's. */
  texts: string;
  /** File of the phone numbers of leads that are being erased. */
  erasing: string;
  /** Folder of the logs, which each start writes anew. */
  logs: string;
  onLogLine?: OnLogLine;
  /** Receives every SMS that a function sends. */
  keepSms: (message: SentSms) => void;
  /** True if the SMS provider reports deliveries, as it does by default. */
  reportsDelivery?: boolean;
  /** Receives every run of a worker. */
  onRun?: (run: WorkerRun) => void;
  /** Receives every permission that a function needs, and whether the function has it. */
  onPermissionCheck?: OnPermissionCheck;
  /** Clock of schedules and functions; the computer's by default. */
  clock?: MachineClock;
  /** Aborts a running synthesis, which is a process of its own. */
  givenUp?: AbortSignal;
}
