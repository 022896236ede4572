import type { Fields } from '../same.ts';
import { folded, isAscii } from './case-folding.ts';
import type { OrganizationModel } from './organization-model.ts';

/** A value that one live record may have, without regard to case. */
export interface Unique {
  field: string;
  /** As it is written. */
  value: string;
  /** The form in which it is compared. */
  form: string;
  /** The name of the item that holds it. */
  name: string;
  /** What a 409 says is taken. */
  sentence: string;
}

/** The values of a record that no other live one may have: an empty one is none. */
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
 * What a record's item says that its values are held as, by value: of those that are not ASCII, since another version of Unicode
 * may fold them otherwise. Undefined where it says nothing.
 */
export function claimedBy(uniques: readonly Unique[]): Fields | undefined {
  const foreign = uniques.filter(({ value }) => !isAscii(value));
  if (foreign.length === 0) return undefined;
  const byValue = Map.groupBy(foreign, ({ value }) => value);
  return Object.fromEntries([...byValue].map(([value, forms]) => [value, forms.map(({ form }) => form)]));
}
