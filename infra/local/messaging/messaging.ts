/** A queue whose messages call a function. */
export interface WorkQueue {
  id: string;
  functionName: string;
  /** Most messages under way at once. */
  maxConcurrency: number;
  /** Milliseconds until a failed message is tried again. */
  visibilityTimeout: number;
  /** Most attempts per message. */
  maxReceives: number;
  /** Queue for messages that failed at every attempt. Without one, they are tried forever. */
  deadLetters: string | undefined;
}

/** Topic of delivery reports, and the event types that it gets. */
export interface ReportDestination {
  topic: string;
  eventTypes: readonly string[];
}

/** Queues, topics and SMS of a template, by logical id. */
export interface Messaging {
  queues: readonly WorkQueue[];
  /** Queues that subscribe to each topic. */
  subscribers: ReadonlyMap<string, readonly string[]>;
  /** Destinations of the reports of each configuration set, by the set's name. */
  configurationSets: ReadonlyMap<string, readonly ReportDestination[]>;
  /** Topic of incoming SMS, which is an output of the stack. */
  textsTopic: string | undefined;
}
