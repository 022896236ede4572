import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { events, type Collection } from './collection.ts';
import { emptyNumbering, type Numbering } from './numbering.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The form in which this code stores an organization. It changes when code that is there could not read the data. */
export const storedForm = 2;

/**
 * The one item that every write of an organization advances. Attributes that this version of the code does not know
 * are carried along, in the numberings too, so that an older function never drops what a newer one put there.
 */
const Head = v.looseObject({
  form: v.literal(storedForm),
  /** The number of the organization's last event. Every write appends at least one, so every write changes it. */
  version: Count,
  /** ISO 3166 code: national phone numbers are read as that country's. Here since every write reads the head. */
  country: v.pipe(v.string(), v.length(2)),
  /** The numbering of each collection, by its name, and of each view of the whole organization, by `filteredList`. */
  collections: v.record(
    v.string(),
    v.looseObject({
      last: Count,
      deleted: v.array(Count),
      newest: v.exactOptional(v.pipe(v.string(), v.regex(/^[1-9a-f][0-9a-f]{0,31}$/))),
    }),
  ),
  /** How far the queue of writers has come; not there where writers have never met. */
  queue: v.exactOptional(
    v.looseObject({
      /** The last number that was served. */
      served: Count,
      /** More than 0 where other writers may be waiting; each that does not have to wait counts it down. */
      waiting: Count,
      /** How long a write takes while writers wait, in milliseconds: a hint, so that all wait alike. */
      pace: v.pipe(v.number(), v.minValue(0)),
    }),
  ),
});
export type Head = v.InferOutput<typeof Head>;

/** The data is there, in a form that this version of the code cannot read. */
export class OtherForm extends Error {
  constructor(form: unknown) {
    super(
      `The data is stored in form ${typeof form === 'number' ? form : 1}, and this version reads form ${storedForm} alone: ` +
        'run the version that stored it, or start on an empty table (on this machine: delete the data folder, which is .data ' +
        'unless --data names another, or the table in the DynamoDB that DYNAMODB_ENDPOINT names).',
    );
    this.name = 'OtherForm';
  }
}

/** Reads a head from its item. @throws Error when there is none: an organization without a head does not exist; OtherForm */
export function parseHead(item: Item | undefined): Head {
  if (item === undefined) throw new Error('The organization has no head item');
  if (item['form'] !== storedForm) throw new OtherForm(item['form']);
  return v.parse(Head, item);
}

/** The head of an organization before its first write. */
export const unfoundedHead = (country: string): Head => ({
  form: storedForm,
  version: 0,
  country,
  collections: {},
});

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
