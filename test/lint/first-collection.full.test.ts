import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { lintFiles } from './lint-files.ts';

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

test('the example of docs/first-collection.md compiles, and follows the rules of lint', async () => {
  expect(files.size).toBe(16);
  expect(await lintFiles(Object.fromEntries(files), { project: true })).toEqual([]);
});
