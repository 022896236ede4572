import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AdminError } from '../admin-error.ts';
import { onDisk } from './files.ts';

/**
 * A folder that appears once it is complete: it is filled under a name that ends in `.partial`, and renamed
 * at the end. A killed command leaves only the partial folder.
 */
export class NewFolder {
  readonly #path: string;
  readonly #partial: string;

  /** @throws AdminError if the folder is not empty, or another command is filling it */
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
      // Set again, since the process's umask may have removed rights.
      chmodSync(partial, 0o700);
    });
  }

  /** Path of a file in the folder. */
  at(name: string): string {
    return join(this.#partial, name);
  }

  /** Renames the complete folder. */
  keep(): void {
    this.#onDisk(() => {
      if (existsSync(this.#path)) rmdirSync(this.#path);
      renameSync(this.#partial, this.#path);
    });
  }

  /** Removes the partial folder. */
  discard(): void {
    rmSync(this.#partial, { recursive: true, force: true });
  }

  #onDisk<T>(act: () => T): T {
    return onDisk(`${this.#path} could not be written`, act);
  }
}
