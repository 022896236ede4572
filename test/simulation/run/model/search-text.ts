import type { Fields } from '../same.ts';
import { searchIndexes, type SearchPosition } from './history.ts';
import { padded } from './ids.ts';
import type { OrganizationModel } from './organization-model.ts';

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** Search form of characters: without case and accents. */
const found: Record<string, string> = {
  é: 'e',
  É: 'e',
  '\u0301': '',
  Ó: 'o',
  ó: 'o',
  // A stroke is ignored like an accent.
  Đ: 'd',
  đ: 'd',
  Ł: 'l',
  ł: 'l',
  Ø: 'o',
  ø: 'o',
  ß: 'ss',
  李: '李',
  // In code points the first of these comes before the second; in UTF-16 it does not.
  '\uFF21': '\uFF41',
  '\u{1F402}': '\u{1F402}',
};

/** First names. Some have the same search form. */
export const foreignNames = [
  ...['José', 'Jose\u0301', '李', 'Straße', 'STRASSE', 'Łuđø', 'Ox\uFF21', 'Ox\u{1F402}'],
] as const;

/**
 * Search form of a text. The model knows only ASCII and the characters above. @throws Error for any other
 * character
 */
export function searchText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return Array.from(text, (character) => {
    const known = isAscii(character) ? character.toLowerCase() : found[character];
    if (known === undefined) throw new Error(`The model does not know the search form of "${character}"`);
    return known;
  }).join('');
}

/** Search forms of a record's searchable fields, by index number. An empty one is not indexed. */
export const searchTextsOf = ({ rules }: OrganizationModel, collection: string, record: Fields): string[] =>
  rules.searchableOf(collection, record).map(searchText);

/** Positions of a record in the search indexes; undefined if it has none. */
export function searchPositionsOf(
  organization: OrganizationModel,
  collection: string,
  number: number,
  record: Fields,
): SearchPosition[] | undefined {
  const places = searchTextsOf(organization, collection, record).flatMap((text, at) => {
    const index = searchIndexes[at]!;
    const partition = organization.partitionOf(index, collection, {});
    return text === '' ? [] : [{ index, partition, key: `${text}\t${padded(number)}` }];
  });
  return places.length === 0 ? undefined : places;
}
