import type { Rule } from './rule.ts';

/** Openings that leave the noun out. */
const refused = `
  What How Whether Which Where When Who Whose Whom Why
  This That These Those It Its They Their There
  As At By For From In Of On To Up With Without
  And Or But So If Until After Before Because Since Than Then Not
  Such Something Somebody Someone Nothing Everything
  Is Does Has
`;
const opening = new RegExp(`^(?:${refused.trim().split(/\s+/).join('|')})\\b`);

/** Refuses doc comments that do not begin with a noun or a verb. */
export const docComments: Rule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening:
        'Begin a doc comment with a noun or a verb, such as "Finds …", "Number of …" or "True if …", not with "{{word}}".',
    },
  },
  create: (context) => ({
    Program() {
      for (const { type, value, loc } of context.sourceCode.getAllComments()) {
        if (type !== 'Block' || !value.startsWith('*')) continue;
        const [word] = opening.exec(value.replace(/^[\s*]+/, '')) ?? [];
        if (word) context.report({ loc, messageId: 'opening', data: { word } });
      }
    },
  }),
};
