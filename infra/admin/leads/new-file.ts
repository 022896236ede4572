import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AdminError } from '../admin-error.ts';
import { messageOf } from '../aws-error.ts';
import { diskError } from '../disk-error.ts';

/** Adds a text to a file. @throws AdminError if the disk does not take it */
export type WriteText = (text: string) => Promise<void>;

/**
 * Writes a file that nobody else may read. Until it is whole its name ends in `.partial`, and it takes no other file's place.
 * @throws AdminError where there is one of either name, or the disk does not take it; whatever `fill` throws, and then nothing is left
 */
export async function writeNewFile(path: string, fill: (write: WriteText) => Promise<void>): Promise<void> {
  const full = resolve(path);
  if (await isThere(full)) throw new AdminError(thereAlready(full));
  const partial = `${full}.partial`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw new AdminError(whyUnopened(partial, error));
  });
  try {
    await fill(textWriter(file, full)).finally(() => file.close().catch(told(full)));
    await moveTo(full, partial).catch(told(full));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** What adds to an open file, which messages call `path`. */
export const textWriter =
  (file: FileHandle, path: string): WriteText =>
  (text) =>
    file.appendFile(text).catch(told(path));

const told = (path: string) => (error: unknown) => {
  throw diskError(`${path} could not be written`, error);
};

function whyUnopened(partial: string, error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
    return `${partial} is there: another export writes to it, or one was killed. Delete it, and try again.`;
  return `No file can be written into the folder ${dirname(partial)} (${messageOf(error)}).`;
}

/** A link fails where there is a file by now; a disk that has no links is looked at just before. */
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
