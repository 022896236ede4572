import type { Task } from './watched-machine.ts';

/** An answer as a client read it. */
export interface Understood {
  operationId: string;
  /** The answer, serialized from the client's types. */
  answer: unknown;
  /** Kinds that the client recognized in unions. */
  variants: string[];
}

/** A generator of clients, with a program that makes the calls. */
export interface Client {
  name: string;
  /** Says in a sentence which tools are missing. Undefined if they are there. */
  missing: () => Promise<string | undefined>;
  /** Generates the client in an empty folder, compiles it, and makes the calls one after the other. */
  call: (task: Task, folder: string) => Promise<Understood[]>;
}
