import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';

const page = readFileSync(join(root, 'docs/first-collection.md'), 'utf8');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * Text with a change. The unchanged and removed lines of a hunk must stand in the text exactly once. If somebody has
 * followed the lesson here, the text has the change already.
 */
function withHunk(text: string, hunk: string): string {
  const lines = hunk.trimEnd().split('\n');
  const without = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) ? [] : [line.slice(1)])).join('\n');
  if (text.includes(`${without('-')}\n`)) return text;
  const parts = text.split(`${without('+')}\n`);
  expect(parts, `the place of ${hunk}`).toHaveLength(2);
  return parts.join(`${without('-')}\n`);
}

/** Files with the blocks of the page, by their paths in the project. */
const files = new Map<string, string>();
for (const [, language, file = '', text = ''] of page.matchAll(
  /^```(ts|diff)\n(?:\/\/|\+\+\+) (\S+)\n([\s\S]*?)^```$/gm,
))
  files.set(
    file,
    language === 'ts'
      ? [...(files.has(file) ? [files.get(file)] : []), text].join('\n')
      : text.split('@@\n').reduce(withHunk, files.get(file) ?? read(file)),
  );

/** A compiler that finds the files of the page beside those of the project. */
function compiler(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);
  const texts = new Map([...files].map(([file, text]) => [join(root, file), text]));
  const folders = new Set([...texts.keys()].map((name) => dirname(name)));
  const host = ts.createCompilerHost(options);
  const { sys } = ts;
  host.readFile = (name) => texts.get(name) ?? sys.readFile(name);
  host.fileExists = (name) => texts.has(name) || sys.fileExists(name);
  host.directoryExists = (name) => folders.has(name) || sys.directoryExists(name);
  return ts.createProgram([...texts.keys()], options, host);
}

test('the example of docs/first-collection.md compiles', () => {
  expect(files.size).toBe(16);
  const program = compiler();
  const mistakes = [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(join(root, file));
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
  expect(mistakes, mistakes.join('\n')).toEqual([]);
});
