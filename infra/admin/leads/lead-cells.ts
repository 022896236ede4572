/** What a spreadsheet takes for a formula, with as many quotes in front as it may have. */
const formula = /^'*[=+\-@\t\r]/;

/** A text as a cell: with a quote in front of what a spreadsheet would take for a formula. `textOf` takes it away again. */
export const cellOf = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** The text of a cell: the inverse of `cellOf`. */
export const textOf = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
