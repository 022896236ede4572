import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { findContracts } from '../functions.ts';
import { root } from '../root.ts';
import { openApiDocument } from '../open-api/open-api.ts';
import { writeReleased } from './released.ts';

/** A change of the API, and the operations that have it. */
export interface ApiChange {
  operations: string[];
  text: string;
}

/** The changes of the API since the last release. */
export interface ApiChanges {
  breaks: ApiChange[];
  /** Changes that may break clients: a person must look. */
  unsure: ApiChange[];
  additions: ApiChange[];
}

/** The reason why oasdiff did not compare, such as `there is no Go (go) on the PATH`. */
export interface NotCompared {
  why: string;
}

/** Compares today's contracts with the last release by oasdiff, if it can be run. */
export async function compareApi(): Promise<ApiChanges | NotCompared> {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const today = join(folder, 'today.json');
  try {
    writeFileSync(today, JSON.stringify(openApiDocument(await findContracts())));
    return await compareByOasdiff(writeReleased(folder), today, (args) => runGo(['run', oasdiff, ...args]));
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    return { why: error.message };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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

/** Pinned: later versions need the module pb33f/go-yaml, which the public Go proxy does not serve. */
export const oasdiff = 'github.com/oasdiff/oasdiff@v1.33.0';

/** Our severity of each check that oasdiff rates otherwise. docs/api-changes.md explains them. */
const severities = join(root, 'infra/release/oasdiff-levels.txt');

const Findings = v.array(
  v.object({
    text: v.string(),
    /** 3: breaks clients. 2: a person must look. 1: an addition. */
    level: v.picklist([1, 2, 3]),
    operationId: v.optional(v.string(), 'The API'),
  }),
);

/**
 * Compares two description files. `runOasdiff` runs oasdiff with arguments, and returns its standard output.
 *
 * @throws whatever `runOasdiff` throws
 */
export async function compareByOasdiff(
  before: string,
  after: string,
  runOasdiff: (args: string[]) => Promise<string>,
): Promise<ApiChanges> {
  const options = ['--format', 'json', '--severity-levels', severities, '--include-path-params'];
  const stdout = await runOasdiff(['changelog', before, after, ...options]);
  const findings = v.parse(Findings, JSON.parse(stdout.trim() || '[]'));
  const ofLevel = (level: number): ApiChange[] => {
    const found = Map.groupBy(
      findings.filter((finding) => finding.level === level),
      ({ text }) => text,
    );
    return [...found].map(([text, group]) => ({ text, operations: group.map((each) => each.operationId) }));
  };
  return { breaks: ofLevel(3), unsure: ofLevel(2), additions: ofLevel(1) };
}

/** Lists changes for people. */
export const reportChanges = ({ breaks, unsure, additions }: ApiChanges): string =>
  [
    section('Breaks clients', breaks),
    section('May break clients', unsure),
    section('Breaks no client', additions),
  ].join('');

function section(heading: string, changes: readonly ApiChange[]): string {
  if (changes.length === 0) return '';
  const lines = changes.map(({ operations, text }) => `  ${names(operations)}${text}\n`);
  return `${heading} (${changes.length}):\n\n${lines.join('')}\n`;
}

/** Names up to four operations. */
function names(operations: readonly string[]): string {
  const distinct = [...new Set(operations)];
  const shown =
    distinct.length <= 4 ? distinct : [...distinct.slice(0, 3), `${distinct.length - 3} more operations`];
  return shown.length === 0 ? '' : `${shown.join(', ')}: `;
}
