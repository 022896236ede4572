import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../infra/root.ts';
import { newFolder } from '../support/new-folder.ts';

/** Finding of the linter about a line. The rule looks like `house(doc-comments)`. */
export interface Problem {
  file: string;
  line: number;
  rule: string;
  message: string;
}

interface Diagnostic {
  filename: string;
  code: string;
  message: string;
  labels: [{ span: { line: number } }];
}

/**
 * Lints files by path with the settings of this repository, and checks their types, in a folder of their own.
 *
 * @param project true if the files join the files of this repository, or replace some. If not, they are alone
 */
export async function lintFiles(
  files: Readonly<Record<string, string>>,
  { project = false } = {},
): Promise<Problem[]> {
  const cwd = newFolder();
  const settings = ['oxlint.config.ts', 'package.json', 'tsconfig.json', 'test/lint'];
  const sources = ['functions', 'infra', 'shared', 'test'];
  for (const name of project ? [...settings, ...sources] : settings)
    cpSync(join(root, name), join(cwd, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), source);
  }
  const { promise: printed, resolve } = Promise.withResolvers<string>();
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const args = [oxlint, '--format=json', ...Object.keys(files)];
  // The exit code only says that there are findings.
  execFile(process.execPath, args, { cwd, maxBuffer: Infinity }, (_, stdout) => {
    resolve(stdout);
  });
  const { diagnostics } = JSON.parse(await printed) as { diagnostics: Diagnostic[] };
  return diagnostics.map(({ filename, code, message, labels: [{ span }] }) => ({
    file: filename,
    line: span.line,
    rule: code,
    message,
  }));
}
