import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import * as v from 'valibot';
import { root } from '../functions.ts';
import { releasedFile } from '../open-api/open-api.ts';
import { ReleaseError } from './options.ts';

const Description = v.looseObject({ openapi: v.string(), info: v.looseObject({ version: v.string() }) });

/** @throws v.ValiError or SyntaxError if the text is not an OpenAPI description */
export const parseDescription = (json: string) => v.parse(Description, JSON.parse(json));

/** Reads the description of the last release. @throws ReleaseError if it cannot be read */
export function readReleased(): v.InferOutput<typeof Description> {
  try {
    return parseDescription(readFileSync(join(root, releasedFile), 'utf8'));
  } catch {
    throw new ReleaseError(
      `${releasedFile}, the description of the last release, cannot be read: restore it from git.`,
    );
  }
}

/** Formats a description as Prettier formats its file. */
export async function formatReleased(description: object): Promise<string> {
  const filepath = join(root, releasedFile);
  return format(JSON.stringify(description), { ...(await resolveConfig(filepath)), filepath });
}
