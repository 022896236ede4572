/** A plain sentence has fewer than 25 words. Lists of names need some more. */
const mostWords = 30;
/** @type {[pattern: RegExp, message: string][]} */
const patterns = [
  [
    /\b(?:(?:ones|those|that) (?:that|which|who|of|for|in|by|with)|one (?:that|which|who))\b(?! (?:the|these|its|our|two|three))/,
    'Repeat the noun where the sentence says "{{found}}".',
  ],
  [/\b(?:of|to|by|in|from|for) which\b/, 'Make two sentences of the sentence with "{{found}}".'],
];

/** Two line breaks, which end a sentence, in as many characters as before. @param {string} text */
const ended = (text) => '\n\n'.slice(0, text.length).padEnd(text.length);

/**
 * Text of a comment or a page, without code, headings, addresses and signs. Each character keeps its place.
 *
 * @param {string} text
 */
const proseOf = (text) =>
  text
    .replace(/```.*?```/gs, ended)
    .replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length))
    .replace(/^\s*(?:\/\/|\/\*+|\*(?!\/))|\*+\/$/gm, (signs) => signs.replace(/\S/g, ' '))
    .replace(/https?:\S+|@\w+|^#+ .*$|^\s*\|[-:| ]*\|$|^\s*(?:[-*]|\d+\.)\s|\| ?/gm, ended);

/** @param {string} prose */
function* sentencesIn(prose) {
  for (const { 0: paragraph, index } of prose.matchAll(/\S(?:(?!\n[ \t]*\n).)*/gs))
    for (const sentence of paragraph.matchAll(/\S.*?(?:[.!?;](?=\s)|$)/gs))
      yield { text: sentence[0].replaceAll(/\s+/g, ' '), index: index + sentence.index };
}

/**
 * Comments of a file. Lines of one comment come together.
 *
 * @param {import('eslint').SourceCode} source
 */
function* commentsOf(source) {
  /** @type {{ type: string, start: number, line: number, text: string } | undefined} */
  let before;
  for (const { type, range: [first, end] = [0, 0], loc } of source.getAllComments()) {
    const follows = before?.type === 'Line' && type === 'Line' && before.line + 1 === loc?.start.line;
    if (before && !follows) yield before;
    const start = follows && before ? before.start : first;
    before = { type, start, line: loc?.end.line ?? 0, text: source.text.slice(start, end) };
  }
  if (before) yield before;
}

/**
 * Refuses sentences that a reader must read twice, in comments and in pages (see `pages`).
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const plainWords = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => {
    return {
      Program() {
        for (const comment of commentsOf(context.sourceCode))
          for (const { text, index } of sentencesIn(proseOf(comment.text))) {
            const loc = context.sourceCode.getLocFromIndex(comment.start + index);
            const count = text.split(' ').length;
            if (count > mostWords)
              context.report({ loc, message: `This sentence has ${count} words. Make two of it.` });
            for (const [pattern, message] of patterns) {
              const [found] = pattern.exec(text) ?? [];
              if (found) context.report({ loc, message, data: { found } });
            }
          }
      },
    };
  },
};

/**
 * Shows a page of Markdown to the linter as one comment.
 *
 * @type {import('eslint').Linter.Processor}
 */
export const pages = {
  meta: { name: 'pages' },
  preprocess: (text) => [{ text: `/*${text.replaceAll('*/', '* ')}*/`, filename: 'page.js' }],
  postprocess: ([messages = []]) => messages,
};
