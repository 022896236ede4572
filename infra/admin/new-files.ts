import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AdminError, messageOf, onDisk } from './admin-error.ts';

const isPartial = (partial: string) =>
  new AdminError(
    `${partial} is there: another export writes to it, or one was killed. Delete it, and try again.`,
  );

/**
 * Writes a file that only its owner can read. Its name ends in `.partial` until it is complete, and it
 * replaces no other file.
 * @throws AdminError if a file of either name exists, or the disk refuses the text; and any error of `fill`.
 * No file is left then.
 */
export async function writeNewFile(
  path: string,
  fill: (write: (text: string) => void) => Promise<void>,
): Promise<void> {
  const full = resolve(path);
  const partial = `${full}.partial`;
  refuseExisting(full);
  try {
    writeFileSync(partial, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (existsSync(partial)) throw isPartial(partial);
    throw new AdminError(`No file can be written into the folder ${dirname(full)} (${messageOf(error)}).`);
  }
  try {
    await fill((text) => {
      onDisk(`${full} could not be written`, () => {
        appendFileSync(partial, text);
      });
    });
    refuseExisting(full);
    onDisk(`${full} could not be written`, () => {
      renameSync(partial, full);
    });
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function refuseExisting(full: string): void {
  if (existsSync(full))
    throw new AdminError(
      `There is ${full} already, and nothing is overwritten: move it away, or choose another name.`,
    );
}

/**
 * Fills a folder that only its owner can read: `at` is the path of a file in it. Its name ends in `.partial`
 * until it is complete.
 * @throws AdminError if the folder is not empty, another command is filling it, or the disk refuses it; and
 * any error of `fill`. Nothing is left then.
 */
export async function writeNewFolder<T>(
  path: string,
  fill: (at: (name: string) => string) => Promise<T>,
): Promise<T> {
  const full = resolve(path);
  const partial = `${full}.partial`;
  const failed = `${full} could not be written`;
  onDisk(failed, () => {
    if (existsSync(full) && readdirSync(full).length > 0)
      throw new AdminError(`${path} is not empty: name a folder that is not there.`);
    mkdirSync(dirname(full), { recursive: true });
    if (existsSync(partial)) throw isPartial(partial);
    mkdirSync(partial, { mode: 0o700 });
    // Set again, because the process's umask may have removed rights.
    chmodSync(partial, 0o700);
  });
  try {
    const result = await fill((name) => join(partial, name));
    onDisk(failed, () => {
      if (existsSync(full)) rmdirSync(full);
      renameSync(partial, full);
    });
    return result;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}
