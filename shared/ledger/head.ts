import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { events, type Collection } from './collection.ts';
import { emptyNumbering, type Numbering } from './numbering.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * The one item that every write of an organization advances. Attributes that this version of the code does not know
 * are carried along, in the numberings too, so that an older function never drops what a newer one put there.
 */
const Head = v.looseObject({
  /** The number of the organization's last event. Every write appends at least one, so every write changes it. */
  version: Count,
  /** ISO 3166 code: national phone numbers are read as that country's. Here since every write reads the head. */
  country: v.pipe(v.string(), v.length(2)),
  /** The numbering of each collection, by its name, and of each view of the whole organization, by `filteredList`. */
  collections: v.record(v.string(), v.looseObject({ last: Count, deleted: v.array(Count) })),
  /** About how many writers wait for their turn; not there when none does. */
  queue: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
});
export type Head = v.InferOutput<typeof Head>;

/** Reads a head from its item. @throws Error when there is none: an organization without a head does not exist. */
export function parseHead(item: Item | undefined): Head {
  if (item === undefined) throw new Error('The organization has no head item');
  return v.parse(Head, item);
}

/** The head of an organization before its first write. */
export const unfoundedHead = (country: string): Head => ({ version: 0, country, collections: {} });

/** The numbering of a collection. Events have none of their own: the head's version is the last event's number. */
export function numberingOf(head: Head, collection: string): Numbering {
  if (collection === events.name) return { last: head.version, deleted: [] };
  return head.collections[collection] ?? emptyNumbering;
}

/** The name under which the records of a collection that have one value are numbered. */
export const filteredList = ({ name }: Collection, filter: string) => `${name}#${filter}`;

export function withNumbering(head: Head, collection: string, numbering: Numbering): Head {
  return { ...head, collections: { ...head.collections, [collection]: numbering } };
}
