/** A change of the API, and the operations that have it. */
export interface ApiChange {
  operations: string[];
  text: string;
}

/** The changes of the API since the last release. */
export interface ApiChanges {
  breaks: ApiChange[];
  /** Changes that may break clients: a person must look. */
  unsure: ApiChange[];
  additions: ApiChange[];
}

/** Lists changes for people. */
export const reportChanges = ({ breaks, unsure, additions }: ApiChanges): string =>
  [
    section('Breaks clients', breaks),
    section('May break clients', unsure),
    section('Breaks no client', additions),
  ].join('');

function section(heading: string, changes: readonly ApiChange[]): string {
  if (changes.length === 0) return '';
  const lines = changes.map(({ operations, text }) => `  ${names(operations)}${text}\n`);
  return `${heading} (${changes.length}):\n\n${lines.join('')}\n`;
}

/** Names up to four operations. */
function names(operations: readonly string[]): string {
  const distinct = [...new Set(operations)];
  const shown =
    distinct.length <= 4 ? distinct : [...distinct.slice(0, 3), `${distinct.length - 3} more operations`];
  return shown.length === 0 ? '' : `${shown.join(', ')}: `;
}
