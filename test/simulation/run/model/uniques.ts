import type { Fields } from '../same.ts';
import { folded, isAscii } from './case-folding.ts';
import type { OrganizationModel } from './organization-model.ts';

/** A value that only one existing record may have, regardless of case. */
export interface Unique {
  field: string;
  /** Value as written. */
  value: string;
  /** Form in which it is compared. */
  form: string;
  /** Name of the item that holds it. */
  name: string;
  /** Sentence of the 409, without its first word, `Another`. */
  sentence: string;
}

/** Unique values of a record. An empty value is none. */
export function uniquesOf(organization: OrganizationModel, collection: string, record: Fields): Unique[] {
  return organization.rules
    .uniquesOf(collection, record)
    .flatMap(({ field, stored, value: own, sentence, within, isExact }) => {
      const value = own ?? ((record[stored ?? field] ?? '') as string);
      if (value === '') return [];
      const form = isExact ? value : folded(value);
      const name = organization.uniqueName(`${collection}.${field}`, form, within);
      return [{ field, value, form, name, sentence }];
    });
}

/**
 * Stored forms of a record's unique values, by value, where a value is not ASCII: another version of Unicode
 * may fold it differently. Undefined if all are ASCII.
 */
export function claimedBy(uniques: readonly Unique[]): Fields | undefined {
  const foreign = uniques.filter(({ value }) => !isAscii(value));
  if (foreign.length === 0) return undefined;
  const byValue = Map.groupBy(foreign, ({ value }) => value);
  return Object.fromEntries([...byValue].map(([value, forms]) => [value, forms.map(({ form }) => form)]));
}
