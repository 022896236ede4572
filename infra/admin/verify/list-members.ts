import type { OrganizationCode } from '../../../shared/core/ids.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { RightHoles, StoredHoles } from './stored-list.ts';

/** Members of one list. Kept small, because there are as many lists as owners. */
export interface Members {
  /** All ranks from 1 to this one have a member. */
  dense: number;
  /** Ranks of members beyond `dense + 1`. */
  later?: Set<number>;
  /** Greatest rank, and the number of its member. */
  top: number;
  topNumber: number;
  /** State in the owner's item. */
  state?: string;
  /** Ranks of records that belong to another list. These records are no members here. */
  misplaced?: Set<number>;
  /** Ranks of records that another member has, too. */
  doubled?: Map<number, number>;
  /** Records that belong to the list and need a rank there, the doubled ones too. */
  claimants?: Set<number>;
  /** Ranks for claimants, without a member or a hole. */
  vacant?: Map<number, number>;
}

/** Members of every list in an index. `Lists` notes the members, and `ListRepairs` reads them. */
export class ListMembers {
  readonly #prefix: string;
  /** Keys are list partitions without `#prefix`. */
  readonly #lists = new Map<string, Members>();

  constructor(organization: OrganizationCode) {
    this.#prefix = keys.listPartition(organization, { collection: '' });
  }

  /** Members of a list, at first none. */
  at(partition: string): Members {
    const name = partition.slice(this.#prefix.length);
    let members = this.#lists.get(name);
    if (members === undefined) this.#lists.set(name, (members = { dense: 0, top: 0, topNumber: 0 }));
    return members;
  }

  /** Partition and members of each list. */
  *[Symbol.iterator](): Generator<[partition: string, members: Members]> {
    for (const [name, members] of this.#lists) yield [this.#prefix + name, members];
  }
}

/** Maximum number of ranks of a list that a repair makes holes: their buckets fit into one transaction. */
const maxAdded = 50 * bucketSize;

interface Right extends RightHoles {
  /** Ranks without a member or a hole: a rank for each claimant. */
  readonly vacant: readonly number[];
  /** True if the last rank is too far from all members to be explained by lost ranks. */
  readonly isFar: boolean;
}

/**
 * Last rank and holes of a list by its members. The last rank is the state's last rank, or the rank of the greatest
 * member that is near the others. A rank without a member is a hole, unless it waits for a claimant.
 */
export function rightOf(members: Members, state: ListState | 'lost' | 'ended', stored: StoredHoles): Right {
  const isThere = typeof state === 'object';
  const none = { last: 0, holes: new Set<number>(), hasState: false, vacant: [], isFar: false };
  if (!isThere && members.top === 0) return none;
  let last = Math.max(isThere ? state.last : 0, members.dense);
  const others = [...(members.later ?? []), ...(isThere ? [] : stored.ranks)];
  for (const rank of others.sort((one, other) => one - other))
    if (rank > last && rank <= last + bucketSize) last = rank;
  const holes = new Set<number>();
  const vacant: number[] = [];
  let [added, beyond] = [0, 0];
  for (let rank = members.dense + 1; rank <= last && added < maxAdded; rank++) {
    const isStored = stored.ranks.has(rank);
    if (hasRank(members, rank) || (members.misplaced?.has(rank) && !isStored)) continue;
    if (!isStored && vacant.length < (members.claimants?.size ?? 0)) vacant.push(rank);
    else holes.add(rank);
    if (isStored) continue;
    added++;
    if (rank > members.top) beyond++;
  }
  return { last, holes, hasState: state !== 'ended', vacant, isFar: beyond > bucketSize };
}

/** Adds a member's rank. Returns false if the rank has a member already. */
export function addRank(members: Members, rank: number): boolean {
  if (hasRank(members, rank)) return false;
  if (rank > members.dense + 1) (members.later ??= new Set()).add(rank);
  else members.dense++;
  while (members.later?.delete(members.dense + 1)) members.dense++;
  return true;
}

export const hasRank = ({ dense, later }: Members, rank: number): boolean =>
  rank <= dense || (later?.has(rank) ?? false);
