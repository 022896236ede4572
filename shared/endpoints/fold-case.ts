/**
 * A text in which upper and lower case are the same: Unicode's full case folding, composed (NFC), so that `Straße` and `STRASSE`,
 * `ΟΔΟΣ` and `οδος`, `ﬁre` and `FIRE` are each one text. The one function by which names and emails are compared.
 *
 * https://www.unicode.org/versions/latest/core-spec/chapter-5/#G21790
 */
export function foldCase(text: string): string {
  return Array.from(text.normalize('NFD'), foldCharacter).join('').normalize('NFC');
}

/**
 * By way of upper case, since that spells out what one letter alone writes, such as ß. Character by character: of a whole word,
 * a last sigma would stay one. The dotless i is a letter of its own, which has the upper case of another.
 */
const foldCharacter = (character: string) =>
  character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase();
