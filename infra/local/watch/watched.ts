import type { Access } from './access-log.ts';
import type { Alarm } from './alarm.ts';
import type { MetricFilter } from './metric-filter.ts';

/** Logs, metrics and alarms of a template. */
export interface Watched {
  /** Log group of each function, by the function's logical id. */
  groups: ReadonlyMap<string, string>;
  /** Name of each function, by its logical id. */
  functionNames: ReadonlyMap<string, string>;
  accessLog: { group: string; lineOf: (access: Access) => string } | undefined;
  filters: MetricFilter[];
  /** Dimensions of the API's metrics. */
  api: Readonly<Record<string, string>>;
  /** Name of the table. */
  table: string;
  /** Dead-letter queues. */
  deadLetters: WatchedQueue[];
  /** Queues that call a worker. */
  queues: WatchedQueue[];
  alarms: Alarm[];
}

/** Logical id of a queue, and its name as references resolve to it here. */
interface WatchedQueue {
  id: string;
  name: string;
}
