import { describe, expect, test } from 'vitest';
import { filesLeftOut, leftOutOf, namesNothing, type LeftOut } from './left-out.ts';

const whole: LeftOut = { file: 'a.test.ts', why: 'all of it' };
const some: LeftOut = { file: 'b.test.ts', test: /^a lead is (told|shown)$/, why: 'some of it' };
const list = [whole, some];
const told = { file: 'b.test.ts', fullName: 'a lead > is told' };
const other = { file: 'b.test.ts', fullName: 'a lead > is told twice' };
const exists = () => true;

test('a test is left out by its file, or by its full name', () => {
  expect(filesLeftOut(list)).toEqual(['a.test.ts']);
  expect(leftOutOf(list, { file: 'a.test.ts', fullName: 'x' })).toBe(whole);
  expect(leftOutOf(list, told)).toBe(some);
  expect(leftOutOf(list, other)).toBeUndefined();
  expect(leftOutOf(list, { ...told, file: 'c.test.ts' })).toBeUndefined();
});

describe('a name names nothing', () => {
  test('where no test of its file has it any more', () => {
    expect(namesNothing(list, [told, other], exists)).toEqual([]);
    expect(namesNothing(list, [other], exists)).toEqual([some]);
  });

  test('where its file is gone, but not where its file was not run', () => {
    expect(namesNothing(list, [], (file) => file !== 'a.test.ts')).toEqual([whole]);
    expect(namesNothing(list, [], exists)).toEqual([]);
  });
});
