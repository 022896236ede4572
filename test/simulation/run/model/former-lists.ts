import type { Fields } from '../same.ts';
import { bucketOf, hasCounts, stateText, type Numbers } from './stored-lists.ts';
import { padded } from './ids.ts';

/** Name of the item that remains of a record removed while its lists still had members. */
export const formerName = (owner: string): string => `${owner.replace(' ', '#')}#LIST STATE`;

/** A record's events are kept forever, so their list leaves nothing behind. */
const isOfEvents = (name: string) => name.startsWith('EVENT#');

/** Effect of a change on the lists of a removed record. */
export interface FormerLists {
  /** States of its lists; undefined if all are empty. */
  states: Fields | undefined;
  /** Names of hole items to remove because their list is empty. */
  staleHoles: readonly string[];
}

/**
 * Computes the remaining item of a removed record's lists (`data-model.md`, "Lists"). `names` are the names
 * that the record had for the lists; `numbersOf` returns the numbers of a list after the change.
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
