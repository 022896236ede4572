import * as v from 'valibot';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { Failure } from '../../../shared/core/failure.ts';
import type { Collection, RecordRef } from '../../../shared/ledger/index.ts';
import { newOrganization, type TestOrganization } from '../../support/test-organization.ts';

const schema = v.object({ id: v.number(), text: v.string() });
type Fields = v.InferOutput<typeof schema>;
const papers = { name: 'PAPER', label: 'paper', schema } as const satisfies Collection;
const pens = { name: 'PEN', label: 'pen', schema } as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
let organization: TestOrganization;
let paper: RecordRef<typeof papers>;
let pen: RecordRef<typeof pens>;
beforeEach(async () => {
  organization = await newOrganization();
  await open().write({}, (write) => {
    write.event(event);
    paper = write.append(papers, ({ number }) => ({ id: number, text: 'paper' })).ref;
    pen = write.append(pens, ({ number }) => ({ id: number, text: 'pen' })).ref;
  });
});
const open = () => organization.openLedger().ledger;
const noPaper = { collection: papers, number: 9 };
const noPen = { collection: pens, number: 9 };
const noSuch = (text: string) => new Failure('invalid', text);
/** Stands for a build that must not run. */
const never = () => {
  throw new Error('It was built');
};

describe('the read set of a write', () => {
  test('is given to it by the names of the records to change and to check', async () => {
    const reading = { change: { one: paper }, check: { other: pen } };
    const texts = await open().write(reading, (write, { one, other }) => {
      expectTypeOf(one).toEqualTypeOf<Fields>();
      expectTypeOf(other).toEqualTypeOf<Fields>();
      write.event(event);
      write.replace(paper, { ...one, text: other.text });
      return [one.text, other.text];
    });
    expect(texts).toEqual(['paper', 'pen']);
    expect(await open().get(paper)).toEqual({ id: 1, text: 'pen' });
  });

  test('must exist: else the write fails with notFound, or as the read set says', async () => {
    for (const part of ['change', 'check'] as const) {
      await expect(open().write({ [part]: { one: noPaper } }, never)).rejects.toMatchObject({
        kind: 'notFound',
        message: 'There is no such paper',
      });
      const otherwise = { ref: noPaper, orElse: () => noSuch('Name a paper') };
      await expect(open().write({ [part]: { one: otherwise } }, never)).rejects.toMatchObject({
        kind: 'invalid',
        message: 'Name a paper',
      });
    }
    // If the record is there, `orElse` is not called.
    const there = { ref: paper, orElse: never };
    const text = await open().write({ check: { one: there } }, (_, { one }) => {
      expectTypeOf(one).toEqualTypeOf<Fields>();
      return one.text;
    });
    expect(text).toBe('paper');
  });

  test('may be absent, and is undefined then', async () => {
    const reading = {
      change: { one: { ref: noPaper, mayBeAbsent: true } },
      check: { other: { ref: noPen, mayBeAbsent: true }, third: { ref: pen, mayBeAbsent: true } },
    } as const;
    const found = await open().write(reading, (_, { one, other, third }) => {
      expectTypeOf(one).toEqualTypeOf<Fields | undefined>();
      expectTypeOf(third).toEqualTypeOf<Fields | undefined>();
      return [one, other, third?.text];
    });
    expect(found).toEqual([undefined, undefined, 'pen']);
  });

  test('fails the write by the first missing record, in the order of its names', async () => {
    const [a, b] = [noSuch('a'), noSuch('b')];
    const wanted = (ref: RecordRef, failure: Failure) => ({ ref, orElse: () => failure });
    const [first, second] = [wanted(noPaper, a), wanted(noPen, b)];
    await expect(open().write({ change: { first }, check: { second } }, never)).rejects.toBe(a);
    await expect(open().write({ check: { second }, change: { first } }, never)).rejects.toBe(b);
    await expect(open().write({ change: { second, first } }, never)).rejects.toBe(b);
    const optional = { ref: noPaper, mayBeAbsent: true } as const;
    await expect(open().write({ change: { optional, second } }, never)).rejects.toBe(b);
  });

  test('fails the write before anything is stored, and costs what was read, and one read that confirms it', async () => {
    const { ledger, capacity } = organization.openLedger();
    await expect(ledger.write({ change: { noPaper }, check: { pen } }, never)).rejects.toThrow(Failure);
    expect(capacity).toMatchObject({ calls: 3, readUnits: 1 + 4 + 2, writeUnits: 0, transactions: 0 });
  });
});
