/** Characters that a terminal obeys, or that change where a line ends or which way it runs. All are in the basic plane. */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text on one line of a terminal, whoever wrote it. They become `\u001b`, as in JSON: so JSON says the same as before. */
export const printable = (text: string): string =>
  text.replaceAll(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same of several lines, such as a stack. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
