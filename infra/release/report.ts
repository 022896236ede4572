import type { Change, Verdict } from '../open-api/changes/change.ts';

/** The changes of each kind. */
export interface SortedChanges {
  breaks: Change[];
  unjudged: Change[];
  additions: Change[];
}

export function sortChanges(changes: readonly Change[]): SortedChanges {
  const of = (verdict: Verdict) => changes.filter((change) => change.verdict === verdict);
  return { breaks: of('break'), unjudged: of('unjudged'), additions: of('addition') };
}

/** What changed since a release, for people. */
export function reportChanges({ breaks, unjudged, additions }: SortedChanges, since: string): string {
  const sections = [
    section(breaks, 'that breaks clients', 'that break clients'),
    section(unjudged, 'that cannot be judged', 'that cannot be judged'),
    section(additions, 'that breaks no client', 'that break no client'),
  ].filter((text) => text !== '');
  if (sections.length === 0) return `The API is as it was in ${since}.\n`;
  return `Since ${since}, the API has\n\n${sections.join('\n')}`;
}

function section(changes: readonly Change[], one: string, many: string): string {
  if (changes.length === 0) return '';
  const lines = changes.map(({ operations, text }) => `  ${names(operations)}: ${text}\n`);
  return `${changes.length} ${changes.length === 1 ? `change ${one}` : `changes ${many}`}:\n\n${lines.join('')}`;
}

/** Up to four operations by name. */
function names(operations: readonly string[]): string {
  if (operations.length <= 4) return operations.join(', ');
  return `${operations.slice(0, 3).join(', ')} and ${operations.length - 3} more`;
}
