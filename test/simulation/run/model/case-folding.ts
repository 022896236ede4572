/** Words in the ways in which clients write them, by the one text that they are all compared as. */
const ways: Record<string, readonly string[]> = {
  strasse: ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
  οδος: ['ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδος'],
  fire: ['ﬁre', 'FIRE', 'fire', 'Fire'],
  // A dot that stays a character of its own, no dot, and the plain letter.
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
  // The sign of the kelvin is the letter.
  kw: ['\u212AW', 'kW', 'KW'],
  水: ['水'],
};

const foldedBy = new Map(
  Object.entries(ways).flatMap(([folded, words]) => words.map((word) => [word, folded] as const)),
);

/** Words in several scripts and cases, some of which are the same. */
export const foreignWords: readonly string[] = [...foldedBy.keys()];

/**
 * A text as it is compared with others, without regard to case. The model knows that of the words above and of ASCII alone.
 * @throws Error for any other word
 */
export const folded = (text: string): string => text.split(' ').map(foldedWord).join(' ');

function foldedWord(word: string): string {
  const known = foldedBy.get(word);
  if (known !== undefined) return known;
  if (!isAscii(word)) throw new Error(`The model does not know as what "${word}" is compared`);
  return word.toLowerCase();
}

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
