import type { MachineClock } from './clock.ts';
import type { OnPermissionCheck } from './role.ts';
import type { SentSms } from './sms-stand-in.ts';
import type { Settings } from './synthesize.ts';
import type { WatchOptions } from './watch/watch.ts';
import type { WorkerRun } from './worker-run.ts';

/** How a machine is started. */
export interface MachineOptions extends WatchOptions {
  /** Where the synthesized template and the bundles go. */
  assembly: string;
  /** Whether they are there already, of the sources as they are: for tests, which share them. */
  isSynthesized?: boolean;
  /** The database's file; in memory when not given. */
  database?: string;
  /** The folder of what is in queues; in memory when not given. */
  queues?: string;
  /** Settings in the place of the stage's own. */
  settings?: Settings | undefined;
  /** Whether a changed source file takes effect on the next request. */
  watch: boolean;
  /** The file of the text messages that were sent, from which those to people who are erased are removed. */
  texts: string;
  /** The file of the numbers of leads that are being erased. */
  erasing: string;
  /** Is given every text message that a function sent. */
  keepSms: (message: SentSms) => void;
  /** Whether the SMS provider reports what became of a text; it does unless told otherwise. */
  reportsDelivery?: boolean;
  /** Is given every run of a worker. */
  onRun?: (run: WorkerRun) => void;
  /** Is told every permission that a function needs, and whether it has it. */
  onPermissionCheck?: OnPermissionCheck;
  /** How many invocations of one caller run at once while others ask too: see `FairScheduler`. */
  share?: number;
  /** The clock of schedules and functions; the computer's by default. */
  clock?: MachineClock;
  /** Aborts a running synthesis, which is a process of its own. */
  givenUp?: AbortSignal;
}
