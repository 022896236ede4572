import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AdminError } from '../admin-error.ts';
import { onDisk } from './files.ts';

/**
 * A folder that is there once it is whole: it is filled beside, and gets its name at the end. What is left of a command that
 * was killed has another name.
 */
export class NewFolder {
  readonly #path: string;
  readonly #partial: string;

  /** @throws AdminError for a folder that has anything in it, or where another is being filled */
  constructor(path: string) {
    this.#path = resolve(path);
    const partial = join(dirname(this.#path), `${basename(this.#path)}.partial`);
    this.#partial = partial;
    this.#onDisk(() => {
      if (existsSync(this.#path) && readdirSync(this.#path).length > 0)
        throw new AdminError(`${path} is not empty: name a folder that is not there.`);
      mkdirSync(dirname(this.#path), { recursive: true });
      if (existsSync(partial))
        throw new AdminError(
          `${partial} is there: another export writes to it, or one was killed. Delete it, and try again.`,
        );
      mkdirSync(partial, { mode: 0o700 });
      // Whatever the process takes away from new files' rights.
      chmodSync(partial, 0o700);
    });
  }

  /** The path of a file in it. */
  at(name: string): string {
    return join(this.#partial, name);
  }

  /** Gives it its name: it is whole. */
  keep(): void {
    this.#onDisk(() => {
      if (existsSync(this.#path)) rmdirSync(this.#path);
      renameSync(this.#partial, this.#path);
    });
  }

  /** Leaves nothing of it. */
  discard(): void {
    rmSync(this.#partial, { recursive: true, force: true });
  }

  #onDisk<T>(act: () => T): T {
    return onDisk(`${this.#path} could not be written`, act);
  }
}
