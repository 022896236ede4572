import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findContracts, root } from '../functions.ts';
import { openApiDocument, releasedFile } from '../open-api/open-api.ts';
import type { ApiChanges } from './api-changes.ts';
import { compareByOasdiff } from './oasdiff.ts';
import { findObviousBreaks } from './obvious-breaks.ts';
import { parseDescription, readReleased } from './released.ts';

export interface ApiComparison {
  changes: ApiChanges;
  /** The reason why oasdiff did not compare: `changes` are then the obvious breaks alone. */
  withoutOasdiff?: string;
}

/** Compares today's contracts with the last release: by oasdiff if it can be run, else for obvious breaks. */
export async function compareApi(): Promise<ApiComparison> {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const today = join(folder, 'today.json');
  try {
    writeFileSync(today, await describeToday());
    return { changes: await compareByOasdiff(join(root, releasedFile), today, runGo) };
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    const breaks = (await obviousBreaks()).map((text) => ({ operations: [], text }));
    return { changes: { breaks, unsure: [], additions: [] }, withoutOasdiff: error.message };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Finds the obvious breaks of clients since the last release. */
export async function obviousBreaks(): Promise<string[]> {
  return findObviousBreaks(readReleased(), parseDescription(await describeToday()));
}

const describeToday = async () => JSON.stringify(openApiDocument(await findContracts()));

class GoError extends Error {}

/** @throws GoError that says why Go could not run */
async function runGo(args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('go', args, { maxBuffer: 100e6 })).stdout;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new GoError('there is no Go (go) on the PATH');
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new GoError(`Go could not run it: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  }
}
