import type { Context, Rule } from './rule.ts';

/** A plain sentence has fewer than 25 words. Lists of names need some more. */
const mostWords = 30;
const patterns: [pattern: RegExp, message: (found: string) => string][] = [
  [
    /\b(?:(?:ones|those|that) (?:that|which|who|of|for|in|by|with)|one (?:that|which|who))\b(?! (?:the|these|its|our|two|three))/,
    (found) => `Repeat the noun where the sentence says "${found}".`,
  ],
  [/\b(?:of|to|by|in|from|for) which\b/, (found) => `Make two sentences of the sentence with "${found}".`],
];

/** Two line breaks, which end a sentence, in as many characters as before. */
const ended = (text: string) => '\n\n'.slice(0, text.length).padEnd(text.length);

/** Text of a comment or a page, without code, headings, addresses and signs. Each character keeps its place. */
const proseOf = (text: string) =>
  text
    .replace(/```.*?```/gs, ended)
    .replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length))
    .replace(/^\s*(?:\/\/|\/\*+|\*(?!\/))|\*+\/$/gm, (signs) => signs.replace(/\S/g, ' '))
    .replace(/https?:\S+|@\w+|^#+ .*$|^\s*\|[-:| ]*\|$|^\s*(?:[-*]|\d+\.)\s|\| ?/gm, ended);

function* sentencesIn(prose: string) {
  for (const { 0: paragraph, index } of prose.matchAll(/\S(?:(?!\n[ \t]*\n).)*/gs))
    for (const sentence of paragraph.matchAll(/\S.*?(?:[.!?;](?=\s)|$)/gs))
      yield { text: sentence[0].replaceAll(/\s+/g, ' '), index: index + sentence.index };
}

/** Finds the sentences that a reader must read twice in a comment or a page, and where they begin. */
export function* hardSentences(text: string): Generator<{ index: number; message: string }> {
  for (const sentence of sentencesIn(proseOf(text))) {
    const { index } = sentence;
    const count = sentence.text.split(' ').length;
    if (count > mostWords) yield { index, message: `This sentence has ${count} words. Make two of it.` };
    for (const [pattern, message] of patterns) {
      const [found] = pattern.exec(sentence.text) ?? [];
      if (found) yield { index, message: message(found) };
    }
  }
}

/** Comments of a file. Lines of one comment come together. */
function* commentsOf(source: Context['sourceCode']): Generator<{ start: number; text: string }> {
  let before: { type: string; start: number; line: number; text: string } | undefined;
  for (const { type, start: first, end, loc } of source.getAllComments()) {
    const follows = before?.type === 'Line' && type === 'Line' && before.line + 1 === loc.start.line;
    if (before && !follows) yield before;
    const start = follows && before ? before.start : first;
    before = { type, start, line: loc.end.line, text: source.text.slice(start, end) };
  }
  if (before) yield before;
}

/** Refuses hard sentences in comments. `pages.test.ts` refuses them in pages. */
export const plainWords: Rule = {
  meta: { type: 'suggestion', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { start, text } of commentsOf(sourceCode))
        for (const { index, message } of hardSentences(text))
          report({ loc: sourceCode.getLocFromIndex(start + index), message });
    },
  }),
};
