/**
 * The case-folded form of a text, for comparing names and emails. Two texts have the same form if Unicode's full case
 * folding makes them equal, however their characters are composed. Examples: `Straße` and `STRASSE`, `ΟΔΟΣ` and `οδος`,
 * `ﬁre` and `FIRE`.
 *
 * Also converts to upper case, which expands letters such as ß. The dotless ı is kept, because it has the same upper
 * case as i.
 *
 * https://www.unicode.org/versions/latest/core-spec/chapter-5/#G21790
 */
export function foldCase(text: string): string {
  const folded = text
    .normalize('NFD')
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase());
  return folded.join('ı').normalize('NFC');
}

/** Apostrophes, with the signs that people and programs write in their place. */
const apostrophes = /[`´ʹ\u02bb-\u02bfˈˊˋ՚׳‘’‛′‵Ꞌꞌ＇｀]/g;
/** Dashes, with the minus sign and others that people and programs write in their place. */
const dashes = /[\p{Pd}˗⁃−]/gu;
/** White space, without the tab that ends a field in a sort key. */
const spaces = /[^\S\t]+/g;

/** Writes each apostrophe of a text as ', each dash as -, and white space as one space. */
export const withPlainMarks = (text: string): string =>
  text.replace(apostrophes, "'").replace(dashes, '-').replace(spaces, ' ');

/** Words of a text, without the marks between them. */
export const lettersIn = (text: string): string[] => text.match(/[\p{Letter}\p{Mark}\p{Number}]+/gu) ?? [];

/** The folded form of a name that people type, for comparing: without case, and with plain marks. */
export const foldName = (text: string): string => foldCase(withPlainMarks(text));

/** Accents: Unicode's block "Combining Diacritical Marks". */
const accents = /[\u0300-\u036f]/g;

/** Letters that Unicode does not decompose, although people type them without their stroke, or as two letters. */
const asTyped: Record<string, string> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/**
 * The form of a text for searches, without case and accents, and with plain marks: `zoe` finds `Zoë`, `lodz` finds `Łódź`,
 * and `o'neill` finds `O’Neill`. A final sigma becomes a usual sigma: otherwise the prefix `Οδυσ` would not find `Οδυσσέας`.
 */
export const foldForSearch = (text: string): string =>
  withPlainMarks(foldCase(text.normalize('NFD').replace(accents, '')))
    .replace(/[đðħıłøæœþ]/g, (letter) => asTyped[letter] ?? letter)
    .replaceAll('ς', 'σ');
