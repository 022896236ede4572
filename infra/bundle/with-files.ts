import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bundle } from './bundle.ts';

/**
 * Adds files to a bundle, in its folder `files`. The code must read them by itself: it does not load them when it
 * starts. The bundle stays as it is, and the new one has a folder beside it.
 *
 * @param files content by path
 */
export function withFiles({ folder, hash }: Bundle, files: ReadonlyMap<string, string>): Bundle {
  const digest = createHash('sha256').update(hash);
  for (const [path, content] of files) digest.update(`${path}\n${content.length}\n${content}`);
  const ownHash = digest.digest('hex');
  const own = `${folder}-${ownHash.slice(0, 16)}`;
  if (!existsSync(own)) {
    // The folder gets its name when it is complete, in case this process is killed.
    const unfinished = `${own}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(folder, unfinished, { recursive: true });
    for (const [path, content] of files) {
      const file = join(unfinished, 'files', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    renameSync(unfinished, own);
  }
  return { folder: own, hash: ownHash };
}
