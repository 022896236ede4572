/**
 * The beginning of what a spreadsheet takes for a formula (OWASP, CSV Injection). It may stand within a text:
 * a spreadsheet that splits at `;` or tabs honours quotes where its own cells begin, and not those around the
 * text.
 */
const cellStart = /(?<=^|[;\t\r\n])/.source;
const formula = /[\s"']*[=+\-@\t\r\n＝＋－＠]/.source;

const unmarked = new RegExp(`${cellStart}(?=${formula})`, 'g');
const marked = new RegExp(`${cellStart}'(?=${formula})`, 'g');

/**
 * A text as a cell, with a `'` before everything that a spreadsheet would take for a formula. `textOf`
 * removes it.
 */
export const cellOf = (text: string): string => text.replaceAll(unmarked, "'");

/** The exact inverse of `cellOf`: a `'` that stood before a formula was escaped as well. */
export const textOf = (cell: string): string => cell.replaceAll(marked, '');
