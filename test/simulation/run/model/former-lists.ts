import type { Fields } from '../same.ts';
import { bucketOf, hasCounts, stateText, type Numbers } from './stored-lists.ts';
import { padded } from './ids.ts';

/** The name of the item that stays of a record which was removed while its lists still had members. */
export const formerName = (owner: string): string => `${owner.replace(' ', '#')}#LIST STATE`;

/** The events of a record are kept for good: of their list nothing stays. */
const isOfEvents = (name: string) => name.startsWith('EVENT#');

/** What a change makes of the lists of a removed record. */
export interface FormerLists {
  /** The states of its lists; undefined where nobody is left in any of them. */
  states: Fields | undefined;
  /** The names of the notes of who had left, which go where nobody is left. */
  staleHoles: readonly string[];
}

/**
 * What stays of the lists that a record owned, by the names that it had for them (`data-model.md`, "Lists"); `numbersOf` gives
 * the numbers of a list as they become.
 */
export function formerLists(
  owner: string,
  { names, numbersOf }: { names: readonly string[]; numbersOf: (list: string) => Numbers },
): FormerLists {
  const lists = names
    .filter((name) => !isOfEvents(name))
    .map((name) => ({ name, list: `${owner.replace(' ', '#')}#${name}` }));
  const isAnybodyLeft = lists.some(({ list }) => numbersOf(list).last > numbersOf(list).left);
  if (isAnybodyLeft) {
    const states = Object.fromEntries(lists.map(({ name, list }) => [name, stateText(numbersOf(list))]));
    return { states, staleHoles: [] };
  }
  const notes = lists.flatMap(({ list }) => {
    const { last } = numbersOf(list);
    const buckets = Array.from({ length: last === 0 ? 0 : bucketOf(last) + 1 }, (_, bucket) =>
      padded(bucket),
    );
    return [...buckets, ...(hasCounts(last) ? ['COUNTS'] : [])].map((note) => `${list}#LIST ${note}`);
  });
  return { states: undefined, staleHoles: notes };
}
