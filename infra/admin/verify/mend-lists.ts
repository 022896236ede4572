import { listName, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { Mend } from './finding.ts';
import { notedIndexList, standingIn } from './index-list.ts';
import { moveToEnd } from './mend-places.ts';
import { isHoleIn, readableStates, statesIn } from './notes.ts';
import { rebuildNotes } from './rebuild-notes.ts';
import type { Scene } from './scene.ts';
import type { NamedList } from './seen-lists.ts';
import type { Judge } from './snapshots.ts';

/** Lets a list have given out the rank that a member has. One that is far after all others is none: the member gets the next. */
export function raised(scene: Scene, list: NamedList, { last }: ListState): Mend {
  const { partition, topRank, topNumber, key } = list;
  const name = scene.listNameOf(partition);
  const nearest = nearestTop(list, last);
  const raise: Mend['apply'] = (draft) => {
    rebuildNotes(draft, notedIndexList(scene, list), { last: nearest });
  };
  if (nearest < topRank)
    return {
      sentence: `makes ${scene.nameOf(key.collection, topNumber)} the newest of ${name}`,
      apply: (draft) => {
        // The next rank must be one that no other member has.
        raise(draft);
        moveToEnd(draft, scene, list, topNumber);
      },
    };
  return { sentence: `lets ${name} have given out ranks up to ${topRank}`, apply: raise };
}

/** The greatest rank that is not far after the one before it; the last rank that was given out, where all are. */
function nearestTop({ dense, later }: NamedList, last: number): number {
  const bottom = Math.max(last, dense);
  const ranks = [...(later ?? [])].filter((rank) => rank > bottom).sort((one, other) => other - one);
  return ranks.find((rank, at) => rank <= (ranks[at + 1] ?? bottom) + bucketSize) ?? bottom;
}

/** Takes back that the member of a rank has left a list. */
export const notLeft = (
  scene: Scene,
  list: NamedList,
  { rank, where }: { rank: number; where: string },
): Mend => ({
  sentence: `takes back that ${where} has left ${scene.listNameOf(list.partition)}`,
  apply: (draft) => {
    rebuildNotes(draft, notedIndexList(scene, list), { held: [rank] });
  },
});

/** Judges which ranks of those that nobody has are still to be noted: no member gets a rank that was given out before. */
export function judgeMissing(scene: Scene, list: NamedList): Judge<Mend | undefined> {
  const { partition, topRank } = list;
  return (look) => {
    const standing = standingIn(scene, list, look);
    const last = typeof standing === 'object' ? standing.last : topRank;
    // That is no last rank, but something else.
    if (last > topRank + bucketSize) return undefined;
    const isGiven = scene.vacancies.unclaimed(partition).length < scene.vacancies.all(partition).length;
    return {
      sentence: isGiven
        ? 'gives it to a record that belongs there and has none, or notes that its member left'
        : 'notes that its member left',
      apply: (draft) => {
        const isFree = (rank: number) => rank <= last && isHoleIn(draft.look, partition, rank) === false;
        // Nobody joins a list whose owner is gone.
        const ranks = typeof standing === 'object' ? 'unclaimed' : 'all';
        const left = scene.vacancies[ranks](partition).filter(isFree);
        if (left.length > 0) rebuildNotes(draft, notedIndexList(scene, list), { left });
      },
    };
  };
}

/** Judges how the states are made anew that a record keeps of its lists, and that cannot be read. */
export function judgeStates(
  scene: Scene,
  { collection, number }: { collection: string; number: number },
  listsOwned: () => Iterable<NamedList>,
): Judge<Mend | undefined> {
  const key = recordKey(scene.organization, collection, number);
  return (look) => {
    const item = look(key);
    if (!item || statesIn(item)) return undefined;
    return {
      sentence: 'makes the states of its lists anew, from their members and who has left',
      apply: (draft) => {
        const readable = readableStates(item);
        draft.put(key, { ...item, lists: Object.fromEntries(readable) });
        for (const list of listsOwned()) {
          const isStateLost = !readable.some(([name]) => name === listName(list.key));
          const known = isStateLost ? { last: list.topRank, isStateLost } : {};
          rebuildNotes(draft, notedIndexList(scene, list), known);
        }
      },
    };
  };
}
