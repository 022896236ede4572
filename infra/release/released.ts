import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { root } from '../root.ts';
import { releasedFile } from '../open-api/open-api.ts';
import { orNull } from '../open-api/schemas.ts';
import { formatAs } from './format-as.ts';
import { ReleaseError } from './options.ts';

const Description = v.looseObject({ openapi: v.string(), info: v.looseObject({ version: v.string() }) });

/** @throws v.ValiError or SyntaxError if the text is not an OpenAPI description */
const parseDescription = (json: string) => v.parse(Description, JSON.parse(json, withTypesOfNull));

/**
 * Writes nullable scalars as `type: [string, "null"]`. The release 1.0.0 has them as `anyOf`, which allows the same
 * values, but oasdiff takes one form as narrower than the other.
 */
const withTypesOfNull = (_key: string, part: unknown): unknown =>
  typeof part === 'object' && part !== null ? (orNull(part) ?? part) : part;

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

/** Writes the description of the last release into a folder, for oasdiff. Returns the file's path. */
export function writeReleased(folder: string): string {
  const file = join(folder, 'released.json');
  writeFileSync(file, JSON.stringify(readReleased()));
  return file;
}

/** Formats a description as its file is formatted. */
export const formatReleased = (description: object): Promise<string> =>
  formatAs(releasedFile, JSON.stringify(description));
