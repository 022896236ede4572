import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { isNestedTooDeep, parseBody } from '../../../shared/contract/parse.ts';
import { ProductUpdate } from '../../../shared/contract/products.ts';
import { NewService } from '../../../shared/contract/services.ts';
import { Failure } from '../../../shared/core/failure.ts';

/** Returns the failure that a body is refused with. */
function refusal(schema: v.GenericSchema, body: unknown): Failure {
  try {
    parseBody(schema, body);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('The body was not refused');
}

/** Wraps a value so that each access to an element or a field is counted. */
function counted<T extends object>(value: T): { value: T; looks: () => number } {
  let looks = 0;
  const wrap = <U extends object>(part: U): U =>
    new Proxy(part, {
      get: (target, name, receiver) => {
        looks += 1;
        const found: unknown = Reflect.get(target, name, receiver);
        return typeof found === 'object' && found !== null ? wrap(found) : found;
      },
    });
  return { value: wrap(value), looks: () => looks };
}

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('the work of parsing a body', () => {
  test.each([1_000, 10_000, 100_000])('is bounded for %i wrong elements', (count) => {
    const body = { name: 'Tap', tradeCategoryId: 1, followUpQuestions: Array<number>(count).fill(7) };
    const { value, looks } = counted(body);
    const { message, extras } = refusal(NewService, value);
    expect(message).toBe('followUpQuestions must be at most 10 long');
    expect(extras.details).toHaveLength(1);
    expect(looks()).toBeLessThan(200);
  });

  test('grows with its fields and no faster', () => {
    const looksAt = (count: number) => {
      const fields = Array.from({ length: count }, (_, at) => [`field${at}`, { a: 1 }] as const);
      const { value, looks } = counted(Object.fromEntries(fields));
      refusal(NewService, value);
      return looks();
    };
    expect(looksAt(4000)).toBeLessThan(4.5 * looksAt(1000));
  });

  test('does not grow with the size of an ignored field', () => {
    const looksAt = (levels: number) => {
      const { value, looks } = counted({ id: 1, createdAt: nested(levels) });
      parseBody(ProductUpdate, value);
      return looks();
    };
    expect(looksAt(40)).toBe(looksAt(2));
  });

  test('to find its depth visits each level once, and at most 50 levels', () => {
    expect(isNestedTooDeep({ a: nested(49) })).toBe(false);
    expect(isNestedTooDeep({ a: nested(50) })).toBe(true);
    const { value, looks } = counted({ a: nested(5000) });
    expect(isNestedTooDeep(value)).toBe(true);
    expect(looks()).toBeLessThan(500);
  });
});

test('50 of many problems are listed, and the others are counted', () => {
  const unknown = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`x${at}`, 1]));
  const { message, extras } = refusal(NewService, { tradeCategoryId: 1, ...unknown });
  expect(extras.details).toHaveLength(50);
  expect(extras.details?.slice(0, 2)).toEqual([
    { field: 'x0', message: 'is not a known field' },
    { field: 'x1', message: 'is not a known field' },
  ]);
  expect(message).toBe('x0 is not a known field, and 71 more');
});

test('all of 50 problems are listed', () => {
  const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, 1]));
  const { message, extras } = refusal(NewService, { name: 'Tap', tradeCategoryId: 1, ...unknown });
  expect(extras.details).toHaveLength(50);
  expect(message).toBe('x0 is not a known field');
});
