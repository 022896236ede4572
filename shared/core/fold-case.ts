/**
 * The case-folded form by which names and emails are compared. Two texts have the same form if Unicode's
 * full case folding makes them equal, however their characters are composed: `Straße` and `STRASSE`, `ΟΔΟΣ`
 * and `οδος`, `ﬁre` and `FIRE`.
 *
 * Converts to upper case first, which expands letters such as ß. The dotless ı is kept, since it has the same
 * upper case as i.
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

/** Accents: Unicode's block "Combining Diacritical Marks". */
const accents = /[\u0300-\u036f]/g;

/** Letters with a stroke, which Unicode does not decompose into a letter and a mark. */
const strokes: Record<string, string> = { đ: 'd', ł: 'l', ø: 'o' };

/**
 * The form by which texts are searched, without case and accents: `zoe` finds `Zoë`, and `lodz` finds
 * `Łódź`. A final sigma becomes a usual one: at the end of a prefix, `Οδυσ` would not find `Οδυσσέας`.
 */
export const foldForSearch = (text: string): string =>
  foldCase(text.normalize('NFD').replace(accents, ''))
    .replace(/[đłø]/g, (letter) => strokes[letter] ?? letter)
    .replaceAll('ς', 'σ');
