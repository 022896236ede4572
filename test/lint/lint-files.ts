import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** Lints files of `shared`, `functions` and `infra` with the settings of this repository, in a folder with them alone. */
export async function lintFiles(files: Readonly<Record<string, string>>): Promise<Problem[]> {
  const cwd = newFolder();
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), source);
  }
  for (const name of ['oxlint.config.ts', 'package.json', 'tsconfig.json'])
    copyFileSync(join(root, name), join(cwd, name));
  mkdirSync(join(cwd, 'test'), { recursive: true });
  for (const name of ['node_modules', 'test/lint']) symlinkSync(join(root, name), join(cwd, name));
  const folders = ['shared', 'functions', 'infra'].filter((folder) =>
    Object.keys(files).some((path) => path.startsWith(`${folder}/`)),
  );
  const printed = await new Promise<string>((resolve) => {
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
    // Its code says that it found something. What it prints is parsed.
    execFile(process.execPath, [oxlint, '--format=json', ...folders], { cwd }, (_, stdout) => {
      resolve(stdout);
    });
  });
  const { diagnostics } = JSON.parse(printed) as { diagnostics: Diagnostic[] };
  return diagnostics.map(({ filename, code, message, labels: [{ span }] }) => ({
    file: filename,
    line: span.line,
    rule: code,
    message,
  }));
}
