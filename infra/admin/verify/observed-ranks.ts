/** Observed ranks of one list. Kept small, since there are as many lists as owners. */
export interface ObservedRanks {
  /** All ranks from 1 to this one were observed. */
  dense: number;
  /** Observed ranks beyond `dense + 1`. */
  later?: Set<number>;
}

/** False if the rank was observed before. */
export function addRank(ranks: ObservedRanks, rank: number): boolean {
  if (hasRank(ranks, rank)) return false;
  if (rank > ranks.dense + 1) (ranks.later ??= new Set()).add(rank);
  else ranks.dense++;
  while (ranks.later?.delete(ranks.dense + 1)) ranks.dense++;
  return true;
}

export const hasRank = ({ dense, later }: ObservedRanks, rank: number): boolean =>
  rank <= dense || (later?.has(rank) ?? false);

/** First ranks up to `last` that are neither observed nor holes. */
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
