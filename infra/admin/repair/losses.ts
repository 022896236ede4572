import type { Finding, FindingKind } from '../verify/finding.ts';

/** Change that a repair may hide: a part of a write is stored, and the repair makes the rest fit. */
export interface Loss {
  /** Id of the record, or key of the item. */
  where: string;
  /** True if a change is lost for certain; else it is perhaps lost. */
  isCertain: boolean;
}

/**
 * Kinds of findings whose repair removes nothing that told of a write: the faults of one item, which a write stores or not,
 * and what only orders writers. `event-beyond`: the write's event is there, and each record that it names is judged by it.
 */
const harmless: readonly FindingKind[] = [
  'event-beyond',
  'position-wrong',
  'search-key-wrong',
  'due-wrong',
  'queue-counter-behind',
];

/** Kinds that show a write whose event is lost. */
const certain: readonly FindingKind[] = ['revision-ahead', 'record-beyond', 'hole-beyond'];

/**
 * Losses that the repairs of these findings would hide, each place once. If a restore or a fault stored some items of a
 * write and not others, then the repair makes the organization whole without that write, or without its event.
 */
export function lossesOf(findings: readonly Finding[]): Loss[] {
  const losses = new Map<string, Loss>();
  for (const { kind, where } of findings) {
    if (harmless.includes(kind)) continue;
    const isCertain = certain.includes(kind) || (losses.get(where)?.isCertain ?? false);
    losses.set(where, { where, isCertain });
  }
  return [...losses.values()];
}

/** Sentences about losses, without full stops: on the terminal and in the repair's event. */
export function lossSentences(losses: readonly Loss[]): string[] {
  const named = (isCertain: boolean) =>
    losses.filter((loss) => loss.isCertain === isCertain).map(({ where }) => where);
  const [lost, perhaps] = [named(true), named(false)];
  return [
    ...(lost.length > 0 ? [`Events were lost, of changes of: ${lost.join(', ')}`] : []),
    ...(perhaps.length > 0 ? [`Changes were perhaps lost, of: ${perhaps.join(', ')}`] : []),
  ];
}
