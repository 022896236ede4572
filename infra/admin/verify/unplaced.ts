import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import type { Finding, Mend } from './finding.ts';

/** How many such records of a collection are told one by one. */
const maxSingly = 10;

/** Records of one collection that are in none of some lists or text indexes that they belong to. */
interface Lacking {
  collection: Collection;
  numbers: number[];
  /** What tells of each by itself, while they are few. */
  singly: (() => void)[];
}

/**
 * Records of which nothing says where they are in a list, or by which texts they are found. A few are damage, and each is a
 * finding. Many are records that a version of the code stored which knew no such list: they are one finding, put right in few
 * transactions.
 */
export class Unplaced {
  readonly #lacking = new Map<string, Lacking>();
  #isTold = false;

  /** Notes a record, and what tells of it by itself. */
  note(collection: Collection, number: number, tell: () => void): void {
    if (this.#isTold) {
      tell();
      return;
    }
    const lacking = this.#lacking.get(collection.name) ?? { collection, numbers: [], singly: [] };
    this.#lacking.set(collection.name, lacking);
    lacking.numbers.push(number);
    if (lacking.numbers.length <= maxSingly) lacking.singly.push(tell);
    else lacking.singly = [];
  }

  /** Tells of all that were noted. Whoever is noted later is told of at once. */
  tell(place: (collection: Collection, number: number) => Mend['apply']): Finding[] {
    this.#isTold = true;
    const many: Finding[] = [];
    for (const { collection, numbers, singly } of this.#lacking.values()) {
      for (const tell of singly) tell();
      if (singly.length > 0) continue;
      const { name } = collection;
      const parts = numbers.toSorted((one, other) => one - other).map((number) => place(collection, number));
      many.push({
        kind: 'places-missing',
        where: name,
        sentence: `${numbers.length} records of ${name} lack places in lists or text indexes that an earlier version of the code did not know.`,
        mend: {
          sentence: 'puts each of them there, in the order of their numbers',
          apply: (draft) => {
            for (const part of parts) part(draft);
          },
          parts,
        },
      });
    }
    this.#lacking.clear();
    return many;
  }
}
