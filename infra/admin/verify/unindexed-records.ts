import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import type { Finding } from './finding.ts';
import type { RepairStep } from './repair-plan.ts';

/** How many such records of a collection are told one by one. */
const maxSingly = 10;

/** Records of one collection that are in none of some lists or text indexes that they belong to. */
interface UnindexedOf {
  collection: Collection;
  numbers: number[];
  /** What tells of each by itself, while they are few. */
  adders: (() => void)[];
}

/**
 * Records of which nothing says where they are in a list, or by which texts they are found. A few are damage, and each is a
 * finding. Many are records that a version of the code stored which knew no such list: they are one finding, put right in few
 * transactions.
 */
export class UnindexedRecords {
  readonly #byCollection = new Map<string, UnindexedOf>();
  #isReported = false;

  /** HoleItems a record, and what tells of it by itself. */
  add(collection: Collection, number: number, report: () => void): void {
    if (this.#isReported) {
      report();
      return;
    }
    const unindexed = this.#byCollection.get(collection.name) ?? { collection, numbers: [], adders: [] };
    this.#byCollection.set(collection.name, unindexed);
    unindexed.numbers.push(number);
    if (unindexed.numbers.length <= maxSingly) unindexed.adders.push(report);
    else unindexed.adders = [];
  }

  /** Tells of all that were noted. Whoever is noted later is told of at once. */
  report(stepFor: (collection: Collection, number: number) => RepairStep): Finding[] {
    this.#isReported = true;
    const many: Finding[] = [];
    for (const { collection, numbers, adders } of this.#byCollection.values()) {
      for (const report of adders) report();
      if (adders.length > 0) continue;
      const { name } = collection;
      const parts = numbers
        .toSorted((one, other) => one - other)
        .map((number) => stepFor(collection, number));
      many.push({
        kind: 'places-missing',
        where: name,
        sentence: `${numbers.length} records of ${name} lack places in lists or text indexes that an earlier version of the code did not know.`,
        repair: {
          sentence: 'puts each of them there, in the order of their numbers',
          addTo: (plan) => {
            for (const part of parts) part(plan);
          },
          parts,
        },
      });
    }
    this.#byCollection.clear();
    return many;
  }
}
