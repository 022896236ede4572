import { describe, expect, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { parseExpression } from '../../../../infra/local/watch/metric-math.ts';

/** Evaluates an expression at each point of some series. `undefined` is a missing value. */
function evaluated(text: string, series: Record<string, (number | undefined)[]>): (number | undefined)[] {
  const expression = parseExpression(text);
  const [points = []] = Object.values(series);
  return points.map((_, at) => expression.evaluate((id) => series[id]?.[at]));
}

test.each([
  ['1 + 2 * a - 4 / 2', [3], 5],
  ['(1 + 2) * a', [3], 9],
  ['10 - 2 - a', [3], 5],
  ['12 / 2 / a', [3], 2],
  ['a + 1 >= 4', [3], 1],
  ['a != 3', [3], 0],
  ['1.5 * a', [3], 4.5],
])('%s', (text, a, result) => {
  expect(evaluated(text, { a })).toEqual([result]);
});

describe("as AWS's documentation has it:", () => {
  const metric1 = [30, 20, 0, 0];
  const metric2 = [20, undefined, 20, undefined];
  const condition = [1, 1, 0, 0, undefined];

  test.each([
    ['metric1 < metric2', [0, 0, 1, 0]],
    ['metric1 >= 30', [1, 0, 0, 0]],
  ])('%s', (text, results) => {
    expect(evaluated(text, { metric1, metric2 })).toEqual(results);
  });

  test.each([
    ['IF(a, b, c)', [30, 0, 20, undefined, undefined]],
    ['IF(a, 5, c)', [5, 5, 20, undefined, undefined]],
    ['IF(a, b, 5)', [30, 0, 5, 5, undefined]],
  ])('%s', (text, results) => {
    const b = [30, undefined, 0, 0, 30];
    const c = [0, 0, 20, undefined, 20];
    expect(evaluated(text, { a: condition, b, c })).toEqual(results);
  });

  test('a value missing in one of two series counts as 0, and missing in both is missing', () => {
    expect(evaluated('a + b', { a: [1, undefined, undefined], b: [2, 3, undefined] })).toEqual([
      3,
      3,
      undefined,
    ]);
    expect(evaluated('a + 1', { a: [undefined] })).toEqual([undefined]);
  });

  test('a division by zero gives a missing value', () => {
    expect(evaluated('a / b', { a: [1, 1, 0], b: [0, undefined, 0] })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('FILL replaces missing values', () => {
    expect(evaluated('FILL(a, 7)', { a: [1, undefined] })).toEqual([1, 7]);
  });
});

test('an error rate counts from a minimum of errors, also without served requests', () => {
  const failed = [0, 2, 3, 3];
  const served = [10, 10, 27, undefined];
  const rate = 'IF(failed >= 3, 100 * failed / (failed + FILL(served, 0)), 0)';
  expect(evaluated(rate, { failed, served })).toEqual([0, 0, 10, 100]);
});

test.each([
  'SUM(METRICS())',
  'IF(a, 1)',
  'FILL(a, REPEAT)',
  'a AND b',
  'a ^ 2',
  '-a',
  'MAX([a, b])',
  'a +',
  '(a',
  'a b',
  '5',
  'Errors',
  '',
])('%s is refused', (text) => {
  expect(() => parseExpression(text)).toThrow(LocalError);
});

test('an expression lists every id that it names', () => {
  expect(parseExpression('IF(a > 1, b / a, FILL(c, 0))').ids).toEqual(['a', 'b', 'c']);
});
