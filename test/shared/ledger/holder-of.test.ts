import * as v from 'valibot';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import type { Collection, Ledger, UniqueValue, Write } from '../../../shared/ledger/index.ts';
import { defaultBehaviour } from '../../simulation/behaviour.ts';
import { faults } from '../../support/faults.ts';
import { faultyStore, inOrder } from '../../support/faulty-store.ts';
import { newOrganization, type TestOrganization } from '../../support/world.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const Pen = v.object({ id: v.number(), color: v.string() });
type Pen = v.InferOutput<typeof Pen>;
const pens = {
  name: 'PEN',
  label: 'pen',
  schema: Pen,
  uniques: ({ color }: Pen): UniqueValue[] => [{ field: 'color', value: color }],
} as const satisfies Collection;
const contacts = {
  name: 'CONTACT',
  label: 'contact',
  prefix: 'lead',
  schema: v.object({ id: v.string() }),
  uniques: ({ id }: { id: string }): UniqueValue[] => [{ field: 'id', value: id, isExact: true }],
} as const satisfies Collection;
const event = { event: 'TEST', data: 'A test', referenceId: '1' };

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});
const open = () => organization.openLedger().ledger;

const color = (value: string) => ({ field: 'color', value });
const add = (write: Write, value: string) => {
  write.event(event);
  return write.append(pens, ({ number: id }) => ({ id, color: value })).record.id;
};
const adding = (value: string) => open().write({}, (write) => add(write, value));

describe('the holder of a value that a write looks up while it is built', () => {
  test('is its id, or undefined if none has it', async () => {
    const id = await adding('Straße');
    await open().write({}, async (write) => {
      const holder = await write.holderOf(pens, color('STRASSE'));
      expectTypeOf(holder).toEqualTypeOf<number | undefined>();
      expectTypeOf(write.holderOf(contacts, color(''))).toEqualTypeOf<Promise<string | undefined>>();
      expect(holder).toBe(id);
      expect(await write.holderOf(pens, color('red'))).toBeUndefined();
    });
    const theirs = (await newOrganization()).openLedger().ledger;
    expect(await theirs.write({}, (write) => write.holderOf(pens, color('Straße')))).toBeUndefined();
  });

  test('costs one serializable read, and nothing for an empty value', async () => {
    await adding('red');
    const costOf = async (value: string) => {
      const { ledger, capacity } = organization.openLedger();
      await ledger.write({}, (write) => write.holderOf(pens, color(value)));
      return { calls: capacity.calls, readUnits: capacity.readUnits };
    };
    // The head alone is one call and one unit.
    expect(await costOf('red')).toEqual({ calls: 2, readUnits: 3 });
    expect(await costOf('')).toEqual({ calls: 1, readUnits: 1 });
  });

  test('includes the changes of this write', async () => {
    await adding('red');
    const ref = { collection: pens, number: 1 };
    await open().write({ change: { pen: ref } }, async (write) => {
      write.replace(ref, { id: 1, color: 'blue' });
      expect(await write.holderOf(pens, color('red'))).toBeUndefined();
      expect(await write.holderOf(pens, color('BLUE'))).toBe(1);
      const id = add(write, 'red');
      expect(await write.holderOf(pens, color('red'))).toBe(id);
      write.remove(ref);
      expect(await write.holderOf(pens, color('blue'))).toBeUndefined();
    });
    expect(await open().all(pens)).toEqual([{ id: 2, color: 'red' }]);
  });

  test('is read again while a transaction holds the value', async () => {
    const id = await adding('red');
    const { store, commands } = faultyStore(inOrder('TransactGetItemsCommand', { before: faults.conflict }));
    const { ledger } = organization.openLedger({ store });
    expect(await ledger.write({}, (write) => write.holderOf(pens, color('red')))).toBe(id);
    expect(commands).toEqual(['GetItemCommand', 'TransactGetItemsCommand', 'TransactGetItemsCommand']);
  });
});

test('a value whose transaction is under way is found', async () => {
  const simulated = await SimulatedLedger.found();
  simulated.be({ ...defaultBehaviour, lateApplyChance: 0.5 });
  const addUnlessThere = (value: string, pause: number) => async (ledger: Ledger) => {
    await simulated.sleep(pause);
    return ledger.write({}, async (write) => (await write.holderOf(pens, color(value))) ?? add(write, value));
  };
  for (let round = 0; round < 20; round++) {
    const pauses = [0, 6, 9, 12, 15, 18];
    const ids = await simulated.together(pauses.map((pause) => addUnlessThere(`red ${round}`, pause)));
    // A plain read misses the value, and the write that then claims it is refused as a conflict.
    expect(new Set(ids).size).toBe(1);
  }
  expect((await simulated.run((ledger) => ledger.all(pens))).result).toHaveLength(20);
});
