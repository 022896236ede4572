/** Spellings of words that clients use, by their common compared form. */
const ways: Record<string, readonly string[]> = {
  strasse: ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
  οδος: ['ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδος'],
  fire: ['ﬁre', 'FIRE', 'fire', 'Fire'],
  // Three different words: the first has its dot as a separate character, the second has none, the third is
  // plain.
  'i\u0307l': ['\u0130l', 'i\u0307l', 'I\u0307L'],
  ıl: ['ıl', 'ıL'],
  il: ['il', 'IL', 'Il'],
  '\u00E9t\u00E9': ['\u00E9t\u00E9', '\u00C9T\u00C9', 'e\u0301te\u0301', 'E\u0301T\u00E9'],
  вода: ['вода', 'ВОДА', 'Вода'],
  αι: ['\u1FB3', '\u1FBC', 'ΑΙ', 'α\u0345'],
  եւ: ['և', 'ԵՒ', 'եւ', 'Եւ'],
  '\u{10428}': ['\u{10400}', '\u{10428}'],
  საქმე: ['საქმე', 'ᲡᲐᲥᲛᲔ'],
  '\u01C6': ['\u01C4', '\u01C5', '\u01C6'],
  '\uAC00': ['\uAC00', '\u1100\u1161'],
  // The kelvin sign folds to the letter.
  kw: ['\u212AW', 'kW', 'KW'],
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

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
