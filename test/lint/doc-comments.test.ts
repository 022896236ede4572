import { ESLint } from 'eslint';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const eslint = new ESLint({
  overrideConfigFile: join(import.meta.dirname, '../../eslint.config.js'),
  overrideConfig: {
    languageOptions: { parserOptions: { projectService: false } },
    rules: { 'house/doc-comments': 'error' },
  },
  ruleFilter: ({ ruleId }) => ruleId === 'house/doc-comments',
});

async function problems(source: string): Promise<string[]> {
  const [result] = await eslint.lintText(source, { filePath: 'shared/core/new.ts' });
  return result!.messages.map(({ message }) => message);
}

const messageFor = (word: string) =>
  `Begin a doc comment with a noun or a verb, such as "Finds …", "Number of …" or "True if …", not with "${word}".`;

describe('A doc comment is refused', () => {
  test.each([
    ['What', '/** What a reader would ask. */'],
    ['Whether', '/**\n * Whether it is so.\n * @returns no answer\n */'],
    ['Of', 'const pair = { /** Of two. */ one: 1 };'],
    ['If', '/**\n *\n * If it comes later. */'],
  ])('that begins with %s', async (word, source) => {
    expect(await problems(source)).toEqual([messageFor(word)]);
  });
});
