import fc from 'fast-check';
import { expect, test } from 'vitest';
import { saysSame } from '../../../../shared/domain/forms/fit-fields.ts';
import { keptFields } from '../../../../shared/domain/forms/kept-fields.ts';
import { withLaterFields } from '../../../../shared/domain/forms/later-fields.ts';

const values = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('soon', 'later', '水', '…') },
  fc
    .tuple(fc.constantFrom('a', '水', '😀'), fc.integer({ min: 0, max: 20_000 }))
    .map(([one, times]) => one.repeat(times)),
);
const names = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('note', 'story', 'note (2)') },
  fc.integer({ min: 0, max: 300 }).map((number) => `field ${number} `.padEnd(160, 'x')),
);
const submission = fc
  .array(fc.record({ name: names, value: values }), { maxLength: 120 })
  .map((fields) => keptFields({ fields, unread: 0 }, () => false));

test('what is there stays, all of it has room, and the same again changes nothing', () => {
  const property = fc.property(
    fc.array(submission, { minLength: 1, maxLength: 5 }),
    ([first = {}, ...others]) => {
      let known = first;
      for (const later of [...others, first, ...others]) {
        const after = withLaterFields(known, later);
        expect(after).toMatchObject(known);
        expect(withLaterFields(after, later)).toEqual(after);
        known = after;
      }
      const bytes = Object.entries(known).reduce(
        (sum, [name, value]) => sum + Buffer.byteLength(name + value),
        0,
      );
      expect(bytes).toBeLessThanOrEqual(32 * 1024);
      expect(Object.keys(known).length).toBeLessThanOrEqual(200);
      // All of them again, in whichever order, are told already.
      for (const again of [...others, first]) expect(withLaterFields(known, again)).toEqual(known);
    },
  );
  fc.assert(property, { seed: 20261124, numRuns: 300 });
});

test('a value that does not fit is cut, and is still known as the same', () => {
  const whole = 'b'.repeat(20_000);
  const after = withLaterFields({ note: 'a'.repeat(20_000) }, { note: 'c', story: whole });
  expect(after['note']).toHaveLength(20_000);
  expect(after['note (2)']).toBe('c');
  expect(after['story']).toMatch(/^b{12000,} … \(cut: it had 20000 characters\)$/);
  expect(saysSame(after['story'] ?? '', whole)).toBe(true);
});
