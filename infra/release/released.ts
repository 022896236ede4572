import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import * as v from 'valibot';
import { root } from '../functions.ts';
import { releasedFile } from '../open-api/open-api.ts';
import { ReleaseError } from './release-error.ts';

const Description = v.looseObject({ openapi: v.string(), info: v.looseObject({ version: v.string() }) });

/** Reads the description of the last release. @throws ReleaseError if it is not there */
export function readReleased(): v.InferOutput<typeof Description> {
  try {
    return v.parse(Description, JSON.parse(readFileSync(join(root, releasedFile), 'utf8')));
  } catch {
    throw new ReleaseError(
      `${releasedFile}, the description of the last release, cannot be read: restore it from git.`,
    );
  }
}

/** A description as its file has it: as the project's formatter wants it. */
export async function formatReleased(description: object): Promise<string> {
  const filepath = join(root, releasedFile);
  return format(JSON.stringify(description), { ...(await resolveConfig(filepath)), filepath });
}
