/**
 * Characters that control a terminal, break a line or change the direction of text. All are in the basic
 * multilingual plane.
 */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Makes a text safe to print on one line of a terminal, whoever wrote it. Control characters become `\u001b`
 * and the like, as in JSON, so printed JSON keeps its meaning.
 */
export const printable = (text: string): string =>
  text.replaceAll(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Makes several lines, such as a stack, safe to print. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
