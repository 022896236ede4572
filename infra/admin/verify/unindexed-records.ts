import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import type { Finding } from './finding.ts';
import type { RepairStep } from './repair-plan.ts';

/** Maximum number of records of a collection that become a finding each. */
const maxSeparate = 10;

interface CollectionRecords {
  collection: Collection;
  numbers: number[];
  /** Adds a finding for each record; empty once there are more than `maxSeparate`. */
  addFindings: (() => void)[];
}

/**
 * Records without attributes in a list index or search index where they belong. A few of a collection are
 * damage: one finding each. More were stored by a version of the code that knew no such index: one finding
 * for all, which is repaired in few transactions.
 */
export class UnindexedRecords {
  readonly #byCollection = new Map<string, CollectionRecords>();
  #isReported = false;

  /** Keeps a record, and the function that adds its own finding. */
  add(collection: Collection, number: number, addFinding: () => void): void {
    if (this.#isReported) {
      addFinding();
      return;
    }
    const unindexed = this.#byCollection.get(collection.name) ?? { collection, numbers: [], addFindings: [] };
    this.#byCollection.set(collection.name, unindexed);
    unindexed.numbers.push(number);
    if (unindexed.numbers.length <= maxSeparate) unindexed.addFindings.push(addFinding);
    else unindexed.addFindings = [];
  }

  /**
   * Adds or returns the findings of all records so far. A record that is added later becomes a finding at
   * once.
   */
  report(stepFor: (collection: Collection, number: number) => RepairStep): Finding[] {
    this.#isReported = true;
    const many: Finding[] = [];
    for (const { collection, numbers, addFindings } of this.#byCollection.values()) {
      for (const addFinding of addFindings) addFinding();
      if (addFindings.length > 0) continue;
      const { name } = collection;
      const parts = numbers
        .toSorted((one, other) => one - other)
        .map((number) => stepFor(collection, number));
      many.push({
        kind: 'positions-missing',
        where: name,
        sentence: `${numbers.length} records of ${name} lack positions in list or search indexes that the version of the code that stored them did not know.`,
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
