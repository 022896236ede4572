import type { Fields } from '../same.ts';
import { isAscii } from './case-folding.ts';
import { searchIndexes, type SearchPosition } from './history.ts';
import { padded } from './ids.ts';
import type { OrganizationModel } from './organization-model.ts';

/** Characters as they are found: case and accents aside. */
const found: Record<string, string> = {
  é: 'e',
  É: 'e',
  '\u0301': '',
  Ó: 'o',
  ó: 'o',
  // A stroke counts as little as an accent.
  Đ: 'd',
  đ: 'd',
  Ł: 'l',
  ł: 'l',
  Ø: 'o',
  ø: 'o',
  ß: 'ss',
  ﬁ: 'fi',
  // The dot of the first is a mark; the letter without a dot stays another one.
  '\u0130': 'i',
  ı: 'ı',
  Ὀ: 'ο',
  Ο: 'ο',
  ο: 'ο',
  δ: 'δ',
  Δ: 'δ',
  υ: 'υ',
  Υ: 'υ',
  ύ: 'υ',
  // Only the end of a word tells the two small letters apart, and the beginning of a text has none.
  σ: 'σ',
  ς: 'σ',
  Σ: 'σ',
  ε: 'ε',
  // An iota below is a mark.
  '\u1FB3': 'α',
  В: 'в',
  О: 'о',
  о: 'о',
  д: 'д',
  Д: 'д',
  а: 'а',
  А: 'а',
  李: '李',
  '\u{1F469}': '\u{1F469}',
  '\u200D': '\u200D',
  '\u{1F527}': '\u{1F527}',
  // The first of these comes before the second, though not in UTF-16.
  '\uFF21': '\uFF41',
  '\u{1F402}': '\u{1F402}',
};

/** First names, some of which are found alike. */
export const foreignNames = [
  'José',
  'Jose\u0301',
  '李',
  'Ὀδυσσεύς',
  '\u{1F469}\u200D\u{1F527}',
  'Straße',
  'STRASSE',
  '\u1FB3lex',
  '\u0130lk',
  'ılk',
  'Вода',
  'ﬁre',
  'Łuđø',
  'Ox\uFF21',
  'Ox\u{1F402}',
] as const;

/**
 * A text as it is found. The model knows that of ASCII and of the characters above alone.
 * @throws Error for any other character
 */
export function searchText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return Array.from(text, (character) => {
    const known = isAscii(character) ? character.toLowerCase() : found[character];
    if (known === undefined) throw new Error(`The model does not know as what "${character}" is found`);
    return known;
  }).join('');
}

/** Where a text stands among others: by code points, as DynamoDB sorts. */
export const isBefore = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

/** The texts of a record as they are found, by the number of their index; an empty one is none. */
export const searchTextsOf = ({ rules }: OrganizationModel, collection: string, record: Fields): string[] =>
  (rules.searchableOf?.(collection, record) ?? []).map(searchText);

/** Where a record is in the indexes of texts; undefined where it is in none. */
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
