import type { Fields } from '../same.ts';
import { folded, isAscii } from './case-folding.ts';
import type { OrganizationModel } from './organization-model.ts';

/** A value that one live record may have, without regard to case. */
export interface Unique {
  field: string;
  /** As it is written. */
  value: string;
  /** As it is compared, or was before there was case folding. */
  form: string;
  /** The name of the item that holds it. */
  name: string;
  /** What a 409 says is taken. */
  sentence: string;
}

/** The values of a record that no other live one may have (`decisions.md`, "Errors", 409). */
export function uniquesOf(organization: OrganizationModel, collection: string, record: Fields): Unique[] {
  const unique = (field: string, sentence: string, within?: number): Unique[] => {
    const value = String(record[field]);
    const forms = new Set([folded(value), value.toLowerCase().normalize('NFC')]);
    return [...forms].map((form) => {
      const name = organization.uniqueName(`${collection}.${field}`, form, within);
      return { field, value, form, name, sentence };
    });
  };
  const inCategory = (label: string) =>
    unique('name', `${label} has this name in the same category`, Number(record['tradeCategoryId']));
  switch (collection) {
    case 'LEAD':
      return ['email', 'phone']
        .filter((field) => record[field] !== '')
        .flatMap((field) => unique(field, `lead has this ${field}`));
    case 'TRANSFER':
      return unique('label', 'transfer has this label');
    case 'SERVICE':
      return inCategory('service');
    case 'PRODUCT':
      return inCategory('product');
    default:
      return [];
  }
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
