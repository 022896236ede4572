/** A queue whose messages a function is called with. */
export interface WorkQueue {
  id: string;
  functionName: string;
  /** How many messages are under way at once at most. */
  maxConcurrency: number;
  /** After how many milliseconds a message that failed is tried again. */
  visibilityTimeout: number;
  /** How often a message is tried at most. */
  maxReceives: number;
  /** The queue of messages that failed so often; without one, they are tried for good. */
  deadLetters: string | undefined;
}

/** Where reports of delivery go, and which. */
export interface ReportDestination {
  topic: string;
  eventTypes: readonly string[];
}

/** What a template says of queues, topics and text messages. Everything is named by its logical id. */
export interface Messaging {
  queues: readonly WorkQueue[];
  /** The queues that get what is published to each topic. */
  subscribers: ReadonlyMap<string, readonly string[]>;
  /** Where the reports of each configuration set go, by the set's name. */
  configurationSets: ReadonlyMap<string, readonly ReportDestination[]>;
  /** The topic that text messages come in by, which is an output of the stack. */
  textsTopic: string | undefined;
}
