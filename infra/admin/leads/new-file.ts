import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AdminError } from '../admin-error.ts';
import { messageOf } from '../aws-error.ts';
import { diskError } from '../disk-error.ts';

/** Appends text to a file. @throws AdminError if the disk refuses it */
export type WriteText = (text: string) => Promise<void>;

/**
 * Writes a file that only its owner can read. Its name ends in `.partial` until it is complete, and it
 * replaces no other file.
 * @throws AdminError if a file of either name exists, or the disk refuses the text; and any error of `fill`.
 * No file is left then.
 */
export async function writeNewFile(path: string, fill: (write: WriteText) => Promise<void>): Promise<void> {
  const full = resolve(path);
  if (await isThere(full)) throw new AdminError(thereAlready(full));
  const partial = `${full}.partial`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw new AdminError(whyUnopened(partial, error));
  });
  try {
    await fill(textWriter(file, full)).finally(() => file.close().catch(throwDiskError(full)));
    await moveTo(full, partial).catch(throwDiskError(full));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** A function that appends to an open file. Messages call the file `path`. */
export const textWriter =
  (file: FileHandle, path: string): WriteText =>
  (text) =>
    file.appendFile(text).catch(throwDiskError(path));

const throwDiskError = (path: string) => (error: unknown) => {
  throw diskError(`${path} could not be written`, error);
};

function whyUnopened(partial: string, error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
    return `${partial} is there: another export writes to it, or one was killed. Delete it, and try again.`;
  return `No file can be written into the folder ${dirname(partial)} (${messageOf(error)}).`;
}

/**
 * Renames the complete file without replacing another: `link` fails if the name is taken. On a disk without
 * links the name is checked just before.
 */
async function moveTo(full: string, partial: string): Promise<void> {
  const isLinked = await link(partial, full).then(
    () => true,
    () => false,
  );
  if (isLinked) await rm(partial);
  else if (await isThere(full)) throw new AdminError(thereAlready(full));
  else await rename(partial, full);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const thereAlready = (path: string) =>
  `There is ${path} already, and nothing is overwritten: move it away, or choose another name.`;
