/**
 * Position where a spreadsheet can take a text for a formula (OWASP, CSV Injection). The position may be
 * within a text. A spreadsheet that splits at `;` or tabs honours quotes at the start of its own cells, but
 * not the quotes around the text.
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
