/** The ranks that were seen of one list: little, since there are as many lists as owners. */
export interface ObservedRanks {
  /** Those from 1 to this one were all seen. */
  dense: number;
  /** Those seen beyond it. */
  later?: Set<number>;
}

/** Takes note of a rank; false where it was seen before. */
export function addRank(ranks: ObservedRanks, rank: number): boolean {
  if (hasRank(ranks, rank)) return false;
  if (rank > ranks.dense + 1) (ranks.later ??= new Set()).add(rank);
  else ranks.dense++;
  while (ranks.later?.delete(ranks.dense + 1)) ranks.dense++;
  return true;
}

export const hasRank = ({ dense, later }: ObservedRanks, rank: number): boolean =>
  rank <= dense || (later?.has(rank) ?? false);

/** The first ranks up to the last that were neither seen nor are holes. */
export function missingRanks(
  ranks: ObservedRanks,
  last: number,
  holes: ReadonlySet<number>,
  limit: number,
): number[] {
  const missing: number[] = [];
  for (let rank = ranks.dense + 1; rank <= last && missing.length < limit; rank++) {
    if (!hasRank(ranks, rank) && !holes.has(rank)) missing.push(rank);
  }
  return missing;
}
