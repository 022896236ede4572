import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../infra/root.ts';

/** An answer as the program sees it. */
export interface Asked {
  status: number;
  retryAfter?: string | number | null;
  body?: unknown;
}

/** Exports of the program in docs/keeping-in-step.md. */
export interface CopyProgram {
  openCopy: (file: string) => DatabaseSync;
  step: (copy: DatabaseSync, ask: (path: string) => Promise<Asked>) => Promise<number>;
  upToDate: number;
}

/** The block in a language of docs/keeping-in-step.md. */
function blockIn(language: 'js' | 'sh'): string {
  const guide = readFileSync(join(root, 'docs/keeping-in-step.md'), 'utf8');
  const [, text = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide) ?? [];
  return text;
}

/** The command that runs the program. */
export const copyCommand = (): string => blockIn('sh').trim();

/** Writes the program into a file of this folder. Returns its path. */
export function writeCopyProgram(folder: string): string {
  const file = join(folder, 'keep-in-step.mjs');
  writeFileSync(file, blockIn('js'));
  return file;
}

/** Loads the program. */
export const copyProgram = (): Promise<CopyProgram> =>
  import(
    pathToFileURL(writeCopyProgram(mkdtempSync(join(tmpdir(), 'copy-program-')))).href
  ) as Promise<CopyProgram>;
