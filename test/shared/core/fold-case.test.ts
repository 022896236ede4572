import { describe, expect, test } from 'vitest';
import { foldCase, foldForSearch, withPlainMarks } from '../../../shared/core/fold-case.ts';

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
  // The dotless i is a separate letter.
  ['ı', 'i'],
  ['ı', 'I'],
  ['İ', 'i'],
  ['é', 'e'],
  ['ø', 'o'],
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

test.each([
  // reported
  ["O'Connorly", ['O’Connorly']],
  // more ways to write them
  ["O'Neill", ['O‘Neill', 'O`Neill', 'O´Neill', 'OʼNeill', 'OʻNeill', 'O′Neill', 'O＇Neill']],
  ['Lee-Smith', ['Lee‐Smith', 'Lee‑Smith', 'Lee‒Smith', 'Lee–Smith', 'Lee—Smith', 'Lee−Smith', 'Lee－Smith']],
  ['hot water', ['hot  water', 'hot\u00a0water', 'hot\u2009 water', 'hot\u3000water', 'hot\u202fwater']],
])('%s is written with other marks in %j', (plain, others) => {
  for (const other of others) {
    expect(withPlainMarks(other)).toBe(plain);
    expect(foldForSearch(other)).toBe(foldForSearch(plain));
  }
});

describe('for a search', () => {
  test.each([
    ['Zoë', 'zoe'],
    ['ZOE\u0308', 'zoë'],
    ['İzmir', 'izmir'],
    ['Ångström', 'angstrom'],
    ['Đặng', 'dang'],
    ['ŁÓDŹ', 'łodz'],
    ['SØREN', 'søren'],
    ['Søren', 'soren'],
    ['ǿ', 'o'],
    ['Straße', 'STRASSE'],
    ['Ὀδυσσεύς', 'οδυσσευσ'],
    // Letters that people type without their stroke, or as two letters.
    ['Işıl', 'isil'],
    ['Ħal', 'hal'],
    ['Þór Ægir', 'thor aegir'],
  ])('%s and %s are one text', (one, other) => {
    expect(foldForSearch(one)).toBe(foldForSearch(other));
  });

  test.each([
    // Marks that are more than an accent.
    ['が', 'か'],
    ['한', '하'],
    ['ß', 's'],
  ])('%s and %s are two', (one, other) => {
    expect(foldForSearch(one)).not.toBe(foldForSearch(other));
  });

  test.each([
    ['Οδυσ', 'Οδυσσέας'],
    ['ΟΔΥΣ', 'Οδυσσέας'],
    ['Łu', 'lukasz'],
  ])('%s is the beginning of %s', (beginning, text) => {
    expect(foldForSearch(text).startsWith(foldForSearch(beginning))).toBe(true);
  });

  test('what is folded is folded, whatever the character', () => {
    const changed: string[] = [];
    for (let code = 0; code <= 0x1ffff; code++) {
      const folded = foldForSearch(String.fromCodePoint(code));
      if (foldForSearch(folded) !== folded) changed.push(code.toString(16));
    }
    expect(changed).toEqual([]);
  });
});
