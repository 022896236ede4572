import { expect, test } from 'vitest';
import { foldCase } from '../../../shared/core/fold-case.ts';

test.each([
  ['Blocked Drain', 'bLOCKED dRAIN'],
  ['Straße', 'STRASSE'],
  ['Straße', 'STRAẞE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ﬁre', 'FIRE'],
  ['Café', 'CAFE\u0301'],
  ['ǰ', 'J\u030c'],
  // The sign for kelvin, and a long s.
  ['\u212Aeſ', 'KES'],
  ['İ', 'i\u0307'],
  ['ŉ', 'ʼN'],
  ['ᾳ', 'ΑΙ'],
  ['Ꮳꮳ', 'ꮳᏣ'],
])('%s and %s are one text', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other));
});

test.each([
  // The dotless i is a letter of its own.
  ['ı', 'i'],
  ['ı', 'I'],
  ['İ', 'i'],
  ['é', 'e'],
  ['ß', 's'],
  ['１', '1'],
  ['Ａ', 'A'],
])('%s and %s are two', (one, other) => {
  expect(foldCase(one)).not.toBe(foldCase(other));
});

test('a folded text is folded', () => {
  for (const text of ['Straße', 'ΟΔΟΣ', 'ﬁre', 'İı', 'Zoë\u0301', 'ǅ', '🦊']) {
    expect(foldCase(foldCase(text))).toBe(foldCase(text));
  }
});

test('the folded form of every character is as ASCII has it, or composed', () => {
  for (let code = 0; code < 0x80; code += 1) {
    const character = String.fromCharCode(code);
    expect(foldCase(character)).toBe(character.toLowerCase());
  }
});
