import type { OrganizationCode } from '../../core/ids.ts';
import type { ShownIn } from './collection.ts';
import { numberOfId } from './stored-record.ts';

/** A record that a write stored or removed. */
export interface TouchedRecord {
  /** Name of the collection. */
  collection: string;
  number: number;
  isRemoved: boolean;
}

/**
 * Formats the attribute `touched` of a write's last event: `LEAD#5 INQUIRY#7 -MESSAGE#3`, with a minus before removed
 * records. The attribute tells which records changed with that event.
 */
export const formatTouchedRecords = (records: readonly TouchedRecord[]): string =>
  records
    .map(({ collection, number, isRemoved }) => `${isRemoved ? '-' : ''}${collection}#${number}`)
    .join(' ');

/**
 * The records of the attribute `shown`, which has the same format: unchanged records that show a changed record, once
 * each.
 */
export function shownRecords(
  organization: OrganizationCode,
  places: readonly ShownIn[],
  touched: readonly TouchedRecord[],
): TouchedRecord[] {
  const nameOf = ({ collection, number }: TouchedRecord) => `${collection}#${number}`;
  const all = places.flatMap(({ collection, id }): TouchedRecord[] => {
    const number = numberOfId(collection, organization, id);
    return number === undefined ? [] : [{ collection: collection.name, number, isRemoved: false }];
  });
  const shown = new Map(all.map((record) => [nameOf(record), record]));
  for (const record of touched) shown.delete(nameOf(record));
  return [...shown.values()];
}

/** Parses the attribute `touched` or `shown`; undefined if it is malformed. */
export function parseTouchedRecords(text: string): TouchedRecord[] | undefined {
  if (text === '') return [];
  const records = text.split(' ').flatMap((one) => {
    const [, minus, collection, number] = /^(-?)([^#\s-][^#\s]*)#([1-9]\d{0,11})$/.exec(one) ?? [];
    if (collection === undefined) return [];
    return [{ collection, number: Number(number), isRemoved: minus === '-' }];
  });
  return records.length === text.split(' ').length ? records : undefined;
}
