import { docComments } from './doc-comments.ts';
import { noImportCircle } from './no-import-circle.ts';
import { plainWords } from './plain-words.ts';
import type { Rule } from './rule.ts';

/** Refuses what a selector finds. Each option is a selector with its message. */
const restrictedSyntax: Rule = {
  meta: { schema: { type: 'array' } },
  create: ({ options, report }) =>
    Object.fromEntries(
      (options as { selector: string; message: string }[]).map(({ selector, message }) => [
        selector,
        (node: { range: [number, number] }) => {
          report({ node, message });
        },
      ]),
    ),
};

/** Rules of this project, as a plugin of oxlint. */
export default {
  meta: { name: 'house' },
  rules: {
    'doc-comments': docComments,
    'no-import-circle': noImportCircle,
    'plain-words': plainWords,
    'restricted-syntax': restrictedSyntax,
  },
};
