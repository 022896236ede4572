import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { QueueMessage } from '../queue-message.ts';
import { writeAtomically } from '../write-atomically.ts';

/**
 * Files of the messages in queues, one per message until it is done, so that the next start has them even
 * after a kill. Without a folder, nothing is kept.
 */
export class MessageFiles {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /**
   * Reads the messages that are left in a queue, the oldest first. Deletes files that a kill left half
   * written, whose senders were never told that the message is stored.
   */
  read(queue: string): QueueMessage[] {
    const folder = this.#folderOf(queue);
    if (folder === undefined || !existsSync(folder)) return [];
    for (const name of readdirSync(folder))
      if (name.endsWith('.draft')) rmSync(join(folder, name), { force: true });
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) =>
        v.parse(v.pipe(v.string(), v.parseJson(), QueueMessage), readFileSync(join(folder, name), 'utf8')),
      )
      .toSorted((one, other) => one.sentAt - other.sentAt);
  }

  /**
   * Stores a message, or its new state. The file is never half written, however the process ends.
   * @throws LocalError
   */
  write(queue: string, message: QueueMessage): void {
    const folder = this.#folderOf(queue);
    if (folder === undefined) return;
    writeAtomically(join(folder, `${message.id}.json`), JSON.stringify(message));
  }

  remove(queue: string, id: string): void {
    const folder = this.#folderOf(queue);
    if (folder !== undefined) rmSync(join(folder, `${id}.json`), { force: true });
  }

  #folderOf(queue: string): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, queue);
  }
}
