import type { Access } from './access-log.ts';
import type { Alarm } from './alarm.ts';
import type { MetricFilter } from './metric-filter.ts';

/** What a template says of logs, metrics and alarms. */
export interface Watched {
  /** The log group of each function, by the function's logical id. */
  groups: ReadonlyMap<string, string>;
  /** The name of each function, by its logical id. */
  functionNames: ReadonlyMap<string, string>;
  accessLog: { group: string; lineOf: (access: Access) => string } | undefined;
  filters: MetricFilter[];
  /** The dimensions of the API's metrics. */
  api: Readonly<Record<string, string>>;
  /** The name of the table. */
  table: string;
  /** The queues of dead letters. */
  deadLetters: WatchedQueue[];
  /** The queues that call a worker. */
  queues: WatchedQueue[];
  alarms: Alarm[];
}

/** A queue's logical id, and its name as references to it resolve here. */
interface WatchedQueue {
  id: string;
  name: string;
}
