import { beforeAll, expect, test } from 'vitest';
import { lintFiles, type Problem } from './lint-files.ts';

const long = `${'word '.repeat(30)}word.`;
const noun = 'Repeat the noun where the sentence says "that of".';
const opening = (word: string) =>
  `Begin a doc comment with a noun or a verb, such as "Finds …", "Number of …" or "True if …", not with "${word}".`;

const cases: [source: string, line: number, message: string][] = [
  ['/** What a reader would ask. */', 1, opening('What')],
  ['/**\n * Whether it is so.\n * @returns no answer\n */', 1, opening('Whether')],
  ['export const pair = { /** Of two. */ one: 1 };', 1, opening('Of')],
  ['/**\n *\n * If it comes later. */', 1, opening('If')],
  ['// Its name is that of a lead.\n', 1, noun],
  ['export const one = 1;\n/**\n * Plain.\n * Its name is that\n * of a lead.\n */\n', 4, noun],
  [`/* ${long} */\n`, 1, 'This sentence has 31 words. Make two of it.'],
  ['export const now = new Date();', 1, 'Take the time from a System.'],
];
const fileOf = (at: number) => `shared/core/case-${at}.ts`;

let problems: Problem[];
beforeAll(async () => {
  problems = await lintFiles(Object.fromEntries(cases.map(([source], at) => [fileOf(at), source])));
});

test.each(cases.map((one, at) => [...one, at] as const))('%j', (_, line, message, at) => {
  const found = problems.filter(({ file, rule }) => file === fileOf(at) && rule.startsWith('house'));
  expect(found).toMatchObject([{ line, message }]);
});
