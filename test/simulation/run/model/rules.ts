import type { Collection, ListKind, Membership } from '../../../../shared/ledger/index.ts';
import type { Fields } from '../same.ts';
import { entriesOf } from './booked-days.ts';
import { listIndexes, type ListIndex } from './history.ts';
import { numberAtEnd } from './ids.ts';

/** Name of a list in an index: what its members have in common. */
export interface ListName {
  owner?: readonly [collection: string, number: number] | undefined;
  name?: string | undefined;
}

/** Definition of a collection, for records that the model knows only by their fields. */
type Defined = Collection & {
  uniques?(record: Fields): ReturnType<NonNullable<Collection['uniques']>>;
  lists?: Readonly<Record<string, ListKind<Fields>>>;
  searchables?: Readonly<Record<string, (record: Fields) => string>>;
  due?(record: Fields): ReturnType<NonNullable<Collection['due']>>;
  shownIn?(record: Fields): ReturnType<NonNullable<Collection['shownIn']>>;
  isNamedInHead?(record: Fields): boolean;
};

const listNameOf = ({ owner, name }: Membership): ListName => ({
  owner: owner && [owner.collection.name, numberAtEnd(owner.id)],
  name,
});

/** The ledger's rules for records: what follows from their collections' definitions. */
export class Rules {
  readonly #collections: ReadonlyMap<string, Defined>;
  readonly #withOwnState: RegExp;

  constructor(collections: readonly Collection[]) {
    this.#collections = new Map(collections.map((one) => [one.name, one as Defined]));
    const own = collections.flatMap(({ name, lists = {} }) =>
      Object.values<ListKind>(lists).flatMap(({ hasManyNames }, at) =>
        hasManyNames ? [`${name}#${at + 1}`] : [],
      ),
    );
    this.#withOwnState = new RegExp(`^ORG#\\w+#(\\w+#\\d{12}#)?(${own.join('|')})(#|$)`);
  }

  /** Collections with records that the head names. */
  get namedInHead(): Defined[] {
    return [...this.#collections.values()].filter((one) => one.isNamedInHead !== undefined);
  }

  of(collection: string): Defined | undefined {
    return this.#collections.get(collection);
  }

  /** True if the state of the list with this partition is stored in a separate item. */
  hasOwnState(list: string): boolean {
    return this.#withOwnState.test(list);
  }

  /** Lists of a record, by index; undefined for an event, because its write names its lists. */
  listsOf(collection: string, record: Fields): (readonly [ListIndex, ListName])[] | undefined {
    if (collection === 'EVENT') return undefined;
    return Object.values(this.of(collection)?.lists ?? {}).flatMap((kind, at) => {
      const membership = kind.of(record);
      return membership ? [[listIndexes[at]!, listNameOf(membership)] as const] : [];
    });
  }

  /** List of a collection, by its index, that groups records by exactly these fields; undefined if there is none. */
  listBy(collection: string, fields: Fields): readonly [ListIndex, ListName] | undefined {
    for (const [at, kind] of Object.values(this.of(collection)?.lists ?? {}).entries()) {
      const read = new Set<string>();
      const membership = kind.of(
        new Proxy(fields, {
          get: (target, name) => {
            read.add(String(name));
            return target[String(name)];
          },
        }),
      );
      const isBySame = read.size === Object.keys(fields).length && [...read].every((name) => name in fields);
      if (membership && isBySame) return [listIndexes[at]!, listNameOf(membership)];
    }
    return undefined;
  }

  /** Searchable texts of a record, the first for the first search index. An empty text is not indexed. */
  searchableOf(collection: string, record: Fields): string[] {
    return Object.values(this.of(collection)?.searchables ?? {}).map((of) => of(record));
  }

  /** Entries of a record in the items of the days that it books, by date. */
  entriesOf(collection: string, record: Fields | undefined): ReadonlyMap<string, string> {
    return this.of(collection)?.booked ? entriesOf(record) : new Map();
  }
}

/** Partition of the records of an organization that are due for a worker. */
export const duePartition = (worker: string, code: string) => `DUE#${worker}#${code.charCodeAt(7) % 8}`;

/** True if a token with these scopes may do what a narrow scope allows (`docs/reference/tokens.md`, "Tokens"). */
export function isGranted(scopes: readonly string[], wanted: string): boolean {
  const [subject, right] = wanted.split(':');
  // Others can read a key, so its scope is never part of another. Neither is the scope of an invitation's token.
  if (right === 'submit' || right === 'answer' || right === 'accept') return scopes.includes(wanted);
  const isOfAll =
    right === 'read'
      ? scopes.includes('read')
      : !['members', 'tokens'].includes(subject ?? '') && scopes.includes('write');
  return scopes.includes(wanted) || isOfAll || (right === 'create' && scopes.includes(`${subject}:write`));
}
