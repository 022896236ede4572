import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../infra/root.ts';
import type { RecordedEvent } from '../../../shared/contract/event-feed.ts';

/** An answer as the program sees it. */
export interface Asked {
  status: number;
  retryAfter?: string | number | null;
  body?: unknown;
}

/** Exports of the program in docs/guides/keeping-in-step.md. */
export interface CopyProgram {
  openCopy: (file: string) => DatabaseSync;
  step: (copy: DatabaseSync, ask: (path: string) => Promise<Asked>) => Promise<number>;
  upToDate: number;
}

/** A request of the program for both directions. */
export interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An answer as the program for both directions sees it. */
export interface TwoWayAnswer extends Asked {
  etag?: string | null;
  requestId?: string | null;
}

export type TwoWayAsk = (path: string, request?: Request) => Promise<TwoWayAnswer>;

/** Exports of the program for both directions. */
export interface TwoWayProgram {
  openFile: (name: string) => DatabaseSync;
  step: (file: DatabaseSync, ask: TwoWayAsk, tell: (event: RecordedEvent) => void) => Promise<number>;
  upToDate: number;
}

/** Programs of docs/guides/keeping-in-step.md, in the order of the page. */
const programs = ['keep-in-step.mjs', 'two-way.mjs'] as const;
type Program = (typeof programs)[number];

const blocksIn = (language: 'js' | 'sh' | 'sql'): string[] => {
  const guide = readFileSync(join(root, 'docs/guides/keeping-in-step.md'), 'utf8');
  const blocks = guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'));
  return [...blocks].map(([, text = '']) => text);
};

/** The block in a language that belongs to a program. */
const blockIn = (language: 'js' | 'sh', program: Program) =>
  blocksIn(language)[programs.indexOf(program)] ?? '';

/** Statements of other software that shares the file with the program for both directions. */
export const guideStatements = (): string[] => blocksIn('sql').flatMap((text) => text.trim().split('\n'));

/** The command that runs a program. */
export const copyCommand = (program: Program = 'keep-in-step.mjs'): string => blockIn('sh', program).trim();

/** Writes a program into a file of this folder. Returns its path. */
export function writeCopyProgram(folder: string, program: Program = 'keep-in-step.mjs'): string {
  const file = join(folder, program);
  writeFileSync(file, blockIn('js', program));
  return file;
}

const load = (program: Program): Promise<unknown> =>
  import(pathToFileURL(writeCopyProgram(mkdtempSync(join(tmpdir(), 'copy-program-')), program)).href);

/** Loads the program that keeps a copy. */
export const copyProgram = () => load('keep-in-step.mjs') as Promise<CopyProgram>;

/** Loads the program for both directions. */
export const twoWayProgram = () => load('two-way.mjs') as Promise<TwoWayProgram>;
