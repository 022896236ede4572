import { expect, test } from 'vitest';
import { memoizeLast } from '../../../shared/core/memoize-last.ts';

test('the same argument twice is computed once; another is computed, and is then the last', () => {
  const asked: (string | undefined)[] = [];
  const wrapped = memoizeLast((argument: string | undefined) => {
    asked.push(argument);
    return { argument };
  });
  expect(wrapped(undefined)).toBe(wrapped(undefined));
  expect(wrapped('a')).toBe(wrapped('a'));
  expect(wrapped('b')).toEqual({ argument: 'b' });
  expect(wrapped('a')).toEqual({ argument: 'a' });
  expect(asked).toEqual([undefined, 'a', 'b', 'a']);
});
