/** A record that a write stored or removed. */
export interface TouchedRecord {
  /** Name of the collection. */
  collection: string;
  number: number;
  isRemoved: boolean;
}

/**
 * Formats the attribute `touched` of a write's last event: `LEAD#5 INQUIRY#7 -MESSAGE#3`, with a minus before
 * removed records. It tells which records changed with that event.
 */
export const formatTouchedRecords = (records: readonly TouchedRecord[]): string =>
  records
    .map(({ collection, number, isRemoved }) => `${isRemoved ? '-' : ''}${collection}#${number}`)
    .join(' ');

/** Parses the attribute `touched`; undefined if it is malformed. */
export function parseTouchedRecords(text: string): TouchedRecord[] | undefined {
  if (text === '') return [];
  const records = text.split(' ').flatMap((one) => {
    const [, minus, collection, number] = /^(-?)([^#\s-][^#\s]*)#([1-9]\d{0,11})$/.exec(one) ?? [];
    if (collection === undefined) return [];
    return [{ collection, number: Number(number), isRemoved: minus === '-' }];
  });
  return records.length === text.split(' ').length ? records : undefined;
}
