/**
 * The case-folded form by which names and emails are compared. Two texts fold alike if Unicode's full case
 * folding makes them equal, however their characters are composed: `Straße` and `STRASSE`, `ΟΔΟΣ` and `οδος`,
 * `ﬁre` and `FIRE`.
 *
 * Goes through upper case, which expands letters such as ß. The dotless ı is left alone: its upper case is
 * that of i.
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

/** Accents and other marks that a letter can carry: Unicode's block "Combining Diacritical Marks". */
const accents = /[\u0300-\u036f]/g;

/** Letters whose stroke Unicode does not count as a mark, but a keyboard without it leaves out as if it were one. */
const strokes: Record<string, string> = { đ: 'd', ł: 'l', ø: 'o' };

/**
 * The form by which texts are searched: case and accents aside, so that `zoe` finds `Zoë`, and `lodz` `Łódź`. The sigma that ends a word is as
 * any other: where a text is cut, it would end one, and `Οδυσ` would not find `Οδυσσέας`.
 */
export const foldForSearch = (text: string): string =>
  foldCase(text.normalize('NFD').replace(accents, ''))
    .replace(/[đłø]/g, (letter) => strokes[letter] ?? letter)
    .replaceAll('ς', 'σ');
