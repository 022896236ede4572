/**
 * A text in which upper and lower case are the same: two texts have one folded form if Unicode's full case folding makes them one,
 * however their characters are composed. So `Straße` and `STRASSE`, `ΟΔΟΣ` and `οδος`, `ﬁre` and `FIRE` are each one text. The one
 * function by which names and emails are compared.
 *
 * By way of upper case, since that spells out what one letter alone writes, such as ß. The dotless i is a letter of its own, which
 * has the upper case of another.
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

/** The form in which values were compared before there was `foldCase`: records from then are held by it. */
export const foldCaseAsBefore = (text: string): string => text.toLowerCase().normalize('NFC');
