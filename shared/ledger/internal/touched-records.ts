import type { RecordChange } from './record-change.ts';

/** A record that a write stored or removed. */
export interface TouchedRecord {
  /** The name of its collection. */
  collection: string;
  number: number;
  isRemoved: boolean;
}

/**
 * What a write touched, as its last event has it in the attribute `touched`: `LEAD#5 INQUIRY#7 -MESSAGE#3`, a minus before
 * what was removed. It tells which records are not as they were before that event.
 */
export const formatTouchedRecords = (records: readonly TouchedRecord[]): string =>
  records
    .map(({ collection, number, isRemoved }) => `${isRemoved ? '-' : ''}${collection}#${number}`)
    .join(' ');

/** Parses what a write touched; undefined where it is malformed. */
export function parseTouchedRecords(text: string): TouchedRecord[] | undefined {
  if (text === '') return [];
  const records = text.split(' ').flatMap((one) => {
    const [, minus, collection, number] = /^(-?)([^#\s-][^#\s]*)#([1-9]\d{0,11})$/.exec(one) ?? [];
    if (collection === undefined) return [];
    return [{ collection, number: Number(number), isRemoved: minus === '-' }];
  });
  return records.length === text.split(' ').length ? records : undefined;
}

/** What a write touches, from its changes; none of its events. */
export const touchedRecordsOf = (changes: readonly RecordChange[]): string =>
  formatTouchedRecords(
    changes.map(({ collection: { name }, number, after }) => ({
      collection: name,
      number,
      isRemoved: after === 'removed',
    })),
  );
