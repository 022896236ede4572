import { describe, expect, test } from 'vitest';
import { cutText } from '../../../../shared/core/cut-text.ts';
import { fitFields } from '../../../../shared/domain/forms/fit-fields.ts';
import { keptFields } from '../../../../shared/domain/forms/kept-fields.ts';

const never = () => false;

/** The kept fields of these, if the lead has none of them. */
const kept = (pairs: readonly (readonly [name: string, value: string])[], unread = 0) => {
  const fields = pairs.map(([name, value]) => ({ name, value }));
  return keptFields({ fields, unread }, never);
};

const sizeOf = (fields: Record<string, string>) =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);

describe('of the fields of a form', () => {
  test('a value that the lead has is left out, if it is the only one with its name', () => {
    const fields = [
      { name: 'name', value: 'Ann' },
      { name: 'email', value: 'a@example.com' },
      { name: 'email', value: 'b@example.com' },
    ];
    const isHad = ({ value }: { value: string }) => value === 'Ann' || value === 'a@example.com';
    expect(keptFields({ fields, unread: 0 }, isHad)).toEqual({ email: 'a@example.com, b@example.com' });
  });

  test('names that a reader of JSON would drop get another, and so does one without a name', () => {
    const pairs = ['__proto__', 'constructor', 'prototype', '', 'toString'].map(
      (name) => [name, 'x'] as const,
    );
    expect(Object.entries(kept(pairs))).toEqual([
      ['__proto__ (field)', 'x'],
      ['constructor (field)', 'x'],
      ['prototype (field)', 'x'],
      ['(no name)', 'x'],
      ['toString', 'x'],
    ]);
  });

  test('names are cut', () => {
    expect(kept([['🦊'.repeat(201), 'x']])).toEqual({ ['🦊'.repeat(200)]: 'x' });
  });

  test('200 are kept, with the rest together in the last', () => {
    const pairs = Array.from({ length: 203 }, (_, at) => [`f${at}`, `v${at}`] as const);
    expect(Object.keys(kept(pairs.slice(0, 200)))).toHaveLength(200);
    const fields = kept(pairs, 9);
    expect(Object.keys(fields)).toHaveLength(200);
    expect(fields).toMatchObject({ f198: 'v198' });
    expect(fields['_more']).toBe('f199: v199\nf200: v200\nf201: v201\nf202: v202\nand 9 more, not kept');
  });

  test('one with the name of the field for the rest is kept beside it', () => {
    const pairs = Array.from({ length: 201 }, (_, at) => [at === 0 ? '_more' : `f${at}`, 'x'] as const);
    expect(kept(pairs)).toMatchObject({ _more: 'x', _more_: 'f199: x\nf200: x' });
  });
});

describe('fields that are too large for an item', () => {
  const limit = 32 * 1024;

  test('are unchanged up to that size, and cut beyond', () => {
    const room = limit - 'a'.length;
    expect(kept([['a', 'x'.repeat(room)]])['a']).toHaveLength(room);
    const { a } = kept([['a', 'x'.repeat(room + 1)]]);
    expect(a).toMatch(/^x+ … \(cut: it had 32768 characters\)$/);
    expect(sizeOf({ a: a! })).toBeLessThanOrEqual(limit);
  });

  test('are cut only where longest, all to one length', () => {
    const fields = kept([
      ['short', 'kept'],
      ['long', 'x'.repeat(1_000_000)],
      ['middle', 'm'.repeat(10_000)],
      ['longer', 'é'.repeat(2_000_000)],
    ]);
    expect(fields).toMatchObject({ short: 'kept', middle: 'm'.repeat(10_000) });
    const [long = 0, longer = 0] = [fields['long'], fields['longer']].map((value) =>
      Buffer.byteLength(value!),
    );
    expect(long - longer).toBeLessThanOrEqual(1);
    expect(sizeOf(fields)).toBeGreaterThan(limit - 10);
    expect(sizeOf(fields)).toBeLessThanOrEqual(limit);
  });

  test('are cut between characters', () => {
    const value = '🦊'.repeat(100_000);
    expect(fitFields(new Map([['a', value]])).get('a')).toMatch(
      /^(?:🦊)+ … \(cut: it had 200000 characters\)$/u,
    );
  });

  test('fit whatever their names are', () => {
    const pairs = Array.from(
      { length: 500 },
      (_, at) => [`${at}${'\u{1F98A}'.repeat(300)}`, '\0'.repeat(20_000)] as const,
    );
    const fields = kept(pairs);
    // Twenty names of 800 bytes take half of the room. Fields with names that have no room are in `_more`.
    expect(Object.keys(fields)).toEqual([...pairs.slice(0, 20).map(([name]) => cutText(name, 200)), '_more']);
    expect(fields['_more']).toMatch(/^20🦊+ … \(cut: it had \d+ characters\)$/u);
    expect(sizeOf(fields)).toBeGreaterThan(limit - 1000);
    expect(sizeOf(fields)).toBeLessThanOrEqual(limit);
    expect(JSON.parse(JSON.stringify(fields))).toEqual(fields);
  });
});
