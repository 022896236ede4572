import { withPlainMarks } from '../../../../shared/core/fold-case.ts';
import type { Fields } from '../same.ts';
import type { OrganizationModel } from './organization-model.ts';
import { isAscii, searchText } from './search-text.ts';

/** Spellings of words that clients use, by their common compared form. */
const ways: Record<string, readonly string[]> = {
  strasse: ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
  οδος: ['ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδος'],
  '\u00E9t\u00E9': ['\u00E9t\u00E9', '\u00C9T\u00C9', 'e\u0301te\u0301', 'E\u0301T\u00E9'],
  水: ['水'],
};

const foldedBy = new Map(
  Object.entries(ways).flatMap(([folded, words]) => words.map((word) => [word, folded] as const)),
);

/** Words in several scripts and cases. Some are equal when compared. */
export const foreignWords: readonly string[] = [...foldedBy.keys()];

/**
 * Compared form of a text, regardless of case. The model knows only the words above and ASCII. @throws Error
 * for any other word
 */
export const folded = (text: string): string => text.split(' ').map(foldedWord).join(' ');

function foldedWord(word: string): string {
  const known = foldedBy.get(word);
  if (known !== undefined) return known;
  if (!isAscii(word)) throw new Error(`The model does not know the compared form of "${word}"`);
  return word.toLowerCase();
}

/** A value that only one existing record may have, regardless of case. */
export interface Unique {
  field: string;
  /** Value as written. */
  value: string;
  /** Compared form. */
  form: string;
  /** Name of the item that holds it. */
  name: string;
}

/** Unique values of a record. An empty value is none. */
export function uniquesOf(organization: OrganizationModel, collection: string, record: Fields): Unique[] {
  const all = organization.rules.of(collection)?.uniques?.(record) ?? [];
  return all.flatMap(({ field, value, isExact, isName, isSearched, within }) => {
    if (value === '') return [];
    const form = isExact
      ? value
      : isSearched
        ? searchText(value)
        : folded(isName ? withPlainMarks(value) : value);
    return [
      { field, value, form, name: organization.uniqueName(`${collection}.${field}`, form, within?.number) },
    ];
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
