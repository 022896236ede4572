import type { Collection, ListKind, Membership } from '../../../../shared/ledger/index.ts';
import type { Fields } from '../same.ts';
import { listIndexes, type ListIndex } from './history.ts';
import { isGranted as grants, type AskedScope, type Scope } from '../../../../shared/contract/scopes.ts';
import { numberInId } from '../../../../shared/core/ids.ts';

/** Name of a list in an index: what its members have in common. */
export interface ListName {
  owner?: readonly [collection: string, number: number] | undefined;
  name?: string | undefined;
}

/** Definition of a collection, for records that the model knows only by their fields. */
export type Defined = Collection & {
  uniques?(record: Fields): ReturnType<NonNullable<Collection['uniques']>>;
  lists?: Readonly<Record<string, ListKind<Fields>>>;
  searchables?: Readonly<Record<string, (record: Fields) => string>>;
  due?(record: Fields): ReturnType<NonNullable<Collection['due']>>;
  shownIn?(record: Fields): ReturnType<NonNullable<Collection['shownIn']>>;
  isNamedInHead?(record: Fields): boolean;
  booked?(record: Fields): ReturnType<NonNullable<Collection['booked']>>;
};

/** Number of a record from its id, in whatever organization; 0 for an impossible id. */
export function numberAtEnd(id: unknown): number {
  if (typeof id === 'number') return id;
  return /^[a-z]+_\w{16}$/.test(String(id)) ? numberInId(String(id)) : 0;
}

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
}

/** True if a token with these scopes may do what a narrow scope allows. */
export const isGranted = (held: readonly string[], wanted: string): boolean =>
  grants(wanted as AskedScope, held as readonly Scope[]);
