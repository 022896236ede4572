import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../function-messages.ts';

/** An event that failed at every try. */
export interface DeadLetter {
  /** The logical id of the queue that gets it. */
  queue: string;
  functionName: string;
  event: unknown;
  tries: number;
  outcome: Outcome;
}

/**
 * The queues of dead letters: a file for each that has some, a letter a line. Deleting the file empties the queue.
 */
export class DeadLetters {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Keeps a letter as Lambda sends it to the destination of failures.
   * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  add({ queue, functionName, event, tries, outcome }: DeadLetter, now: number): void {
    const { id: requestId, error } = outcome;
    const record = {
      version: '1.0',
      timestamp: new Date(now).toISOString(),
      requestContext: {
        requestId,
        functionArn: functionName,
        condition: 'RetriesExhausted',
        approximateInvokeCount: tries,
      },
      requestPayload: event,
      responsePayload: { errorType: error?.type, errorMessage: error?.message },
    };
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(this.#fileOf(queue), `${JSON.stringify(record)}\n`);
  }

  countOf(queue: string): number {
    const file = this.#fileOf(queue);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  }

  #fileOf(queue: string): string {
    return join(this.#folder, `${queue}.jsonl`);
  }
}
