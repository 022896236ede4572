import { describe, expect, test } from 'vitest';
import { maxRead } from '../../../../shared/contract/sent-form.ts';
import { fieldsInJson } from '../../../../shared/domain/forms/flatten-json.ts';

/** Fields of a JSON text, as pairs. */
const pairsIn = (text: string) => fieldsInJson(text)?.fields.map(({ name, value }) => [name, value]);

describe('a JSON text', () => {
  test('becomes fields that are named by their paths', () => {
    const text = JSON.stringify({
      name: 'Ann',
      answers: [{ text: 'Yes', choices: ['a', 'b'] }, 7, false],
      none: null,
      blank: ' \n',
      empty: {},
    });
    expect(pairsIn(text)).toEqual([
      ['name', 'Ann'],
      ['answers.0.text', 'Yes'],
      ['answers.0.choices.0', 'a'],
      ['answers.0.choices.1', 'b'],
      ['answers.1', '7'],
      ['answers.2', 'false'],
    ]);
  });

  test('can be an array', () => {
    expect(pairsIn('[{"name":"Ann"},"b"]')).toEqual([
      ['0.name', 'Ann'],
      ['1', 'b'],
    ]);
  });

  test.each(['', 'name=Ann', '"Ann"', '7', 'null', 'true', '{"name":', '{name:1}'])(
    'is none where it is %j',
    (text) => {
      expect(fieldsInJson(text)).toBeUndefined();
    },
  );

  test('keeps each digit of a long number, such as an id', () => {
    expect(pairsIn('{"id":12345678901234567890,"part":0.1234567890123456789,"small":10}')).toEqual([
      ['id', '12345678901234567890'],
      ['part', '0.1234567890123456789'],
      ['small', '10'],
    ]);
  });

  test('does not keep them if it is long itself: that would take seconds', () => {
    const long = `{"id":12345678901234567890,"more":"${'x'.repeat(256 * 1024)}"}`;
    expect(fieldsInJson(long)?.fields[0]?.value).toBe('12345678901234567000');
  });

  test('keeps inherited names like any other', () => {
    const text = '{"__proto__":{"polluted":"yes"},"constructor":"Bob","toString":"x"}';
    expect(pairsIn(text)).toEqual([
      ['__proto__.polluted', 'yes'],
      ['constructor', 'Bob'],
      ['toString', 'x'],
    ]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('is cut where it is nested deeper than 50', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}"deep"${'}'.repeat(levels)}`;
    const path = Array.from({ length: 50 }, () => 'a').join('.');
    expect(pairsIn(nested(50))).toEqual([[path, 'deep']]);
    expect(pairsIn(nested(51))).toEqual([[path, '(nested too deep, not kept)']]);
    // Nested so deep that JSON.parse fails with a reviver.
    expect(pairsIn(`{"id":1234567890123456,"x":${nested(200_000)}}`)).toHaveLength(2);
  });

  test('cuts names, and reads a limited number of fields', () => {
    const name = '🦊'.repeat(300);
    expect(pairsIn(JSON.stringify({ [name]: { [name]: 'x' } }))).toEqual([['🦊'.repeat(200), 'x']]);
    const text = JSON.stringify(Array.from({ length: maxRead + 7 }, (_, at) => at));
    const { fields, unread } = fieldsInJson(text)!;
    expect([fields.length, fields.at(-1), unread]).toEqual([
      maxRead,
      { name: String(maxRead - 1), value: String(maxRead - 1) },
      7,
    ]);
  });
});
