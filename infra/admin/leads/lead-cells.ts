/**
 * Begin of what a spreadsheet takes for a formula (OWASP, CSV Injection). It may be within a text: a spreadsheet that splits at
 * `;` or tabs honours quotes where a cell of its own begins, and not those around the text.
 */
const cellStart = /(?<=^|[;\t\r\n])/.source;
const formula = /[\s"']*[=+\-@\t\r\n＝＋－＠]/.source;

const unmarked = new RegExp(`${cellStart}(?=${formula})`, 'g');
const marked = new RegExp(`${cellStart}'(?=${formula})`, 'g');

/** A text as a cell: with a `'` in front of what a spreadsheet would take for a formula. `textOf` takes it away again. */
export const cellOf = (text: string): string => text.replaceAll(unmarked, "'");

/** The text of a cell: the inverse of `cellOf`, exactly, since a `'` before a formula is marked, too. */
export const textOf = (cell: string): string => cell.replaceAll(marked, '');
