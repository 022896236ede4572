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

/** The folding used before `foldCase`: older records claimed their unique values in this form. */
export const foldCaseAsBefore = (text: string): string => text.toLowerCase().normalize('NFC');
