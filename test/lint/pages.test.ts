import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { hardSentences } from './plain-words.ts';

/** Hard sentences of a page, with their lines. */
const found = (text: string) =>
  Array.from(
    hardSentences(text),
    ({ index, message }) => `${text.slice(0, index).split('\n').length}: ${message}`,
  );

const long = `${'word '.repeat(30)}word.`;

test('pages have plain sentences', () => {
  const pages = globSync(['*.md', '{docs,infra,shared,test}/**/*.md'], {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  expect(pages.length).toBeGreaterThan(50);
  const hard = pages.flatMap((page) =>
    found(readFileSync(join(root, page), 'utf8')).map((one) => `${page}:${one}`),
  );
  expect(hard).toEqual([]);
});

test.each([
  [
    'A name.\n\n| A list | from which a row comes |\n',
    ['3: Make two sentences of the sentence with "from which".'],
  ],
  [`Plain words.\n\n\`\`\`\n${long}\n\`\`\`\n\n${long}`, ['7: This sentence has 31 words. Make two of it.']],
])('%j', (text, expected) => {
  expect(found(text)).toEqual(expected);
});
