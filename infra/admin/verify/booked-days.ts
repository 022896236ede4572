import { addEntries, formatEntries, type DayEntries } from '../../../shared/ledger/internal/booked.ts';
import { bookedKey, bookedPartition, isBookedKey, keyOfItem } from '../../../shared/ledger/internal/keys.ts';
import { itemRepair, keyName } from './finding.ts';
import { type ReadRecord, Rule } from './judgement.ts';
import { hasRevision } from './revisions.ts';

/** Judges that each day's item says what the records book on that day, and that no other day has an item. */
export class BookedDays extends Rule {
  /** Entries as the records say, by day and record number. */
  readonly #days: DayEntries = new Map();

  observe({ collection, number, record }: ReadRecord): void {
    addEntries(this.#days, number, collection.booked?.(record));
  }

  finish(): void {
    const { organization, items, collections } = this.judgement;
    const days = [...items.partition(bookedPartition(organization))].map(keyOfItem).filter(isBookedKey);
    // A day may rightly name a record that is missing or malformed.
    const areAllKnown = [...collections.values()].every(
      (collection) => collection.booked === undefined || this.judgement.isWhole(collection.name),
    );
    for (const day of [...new Set([...this.#days.keys(), ...days.map(({ sk }) => sk)])].sort()) {
      const key = bookedKey(organization, day);
      const item = items.get(key);
      const booked = formatEntries(this.#days.get(day) ?? new Map<number, string>());
      if (booked !== '' && item?.['booked'] === booked && hasRevision(item)) continue;
      const where = keyName(key);
      // The sentence has the item's revision. So it differs each time if others change the day, and then proves
      // nothing.
      const stored =
        item && `${where}, ${hasRevision(item) ? `of event ${item.revision}` : 'without a revision'},`;
      const sentence =
        stored === undefined
          ? `${where} is missing, and records book that day.`
          : `${stored} ${booked === '' ? 'is there, and no record books' : 'does not say what the records book'} that day.`;
      const repair = itemRepair('says what the records book', key, () =>
        booked === '' ? undefined : { booked },
      );
      this.judgement.add('booked-wrong', where, sentence, {
        keys: [key],
        repair: areAllKnown ? repair : undefined,
      });
    }
  }
}
