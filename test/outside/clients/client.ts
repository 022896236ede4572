import type { Task } from './watched-machine.ts';

/** What a client made of one answer. */
export interface Understood {
  operationId: string;
  /** The answer as its types write it again. */
  answer: unknown;
  /** What it turned out to be, where it can be one of several. */
  variants: string[];
}

/** A generator of clients, with a program that makes any calls. */
export interface Client {
  name: string;
  /** Generates the client in an empty folder, compiles it, and makes the calls one after the other. */
  call: (task: Task, folder: string) => Promise<Understood[]>;
}
