import * as v from 'valibot';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import type { Collection, Ledger, RecordRef, UniqueValue, Write } from '../../../shared/ledger/index.ts';
import { defaultBehaviour } from '../../simulation/behaviour.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import { newOrganization, tableAt, type TestOrganization } from '../../support/test-organization.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const Contact = v.object({ id: v.string(), email: v.string(), code: v.string(), seen: v.number() });
type Contact = v.InferOutput<typeof Contact>;
const contacts = {
  name: 'CONTACT',
  label: 'contact',
  prefix: 'lead',
  schema: Contact,
  uniques: ({ email, code }: Contact): UniqueValue[] => [
    { field: 'email', value: email },
    { field: 'code', value: code, isExact: true },
  ],
} as const satisfies Collection;
const pens = {
  name: 'PEN',
  label: 'pen',
  schema: v.object({ id: v.number(), uses: v.number() }),
  uniques: ({ id }: { id: number }): UniqueValue[] => [{ field: 'number', value: String(id) }],
} as const satisfies Collection;
const inks = {
  name: 'INK',
  label: 'ink',
  schema: v.object({ id: v.number(), color: v.string() }),
  uniques: ({ color }: { color: string }): UniqueValue[] => [{ field: 'color', value: color }],
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});
const open = () => organization.openLedger().ledger;

/** Adds contacts, in one write, and returns their ids. */
const add = (...all: Partial<Contact>[]) =>
  open().write({}, (write) => {
    write.event(event);
    return all.map(
      (one) => write.append(contacts, ({ id }) => ({ id, email: '', code: '', seen: 0, ...one })).record.id,
    );
  });
const email = (value: string) => ({ field: 'email', value });
const code = (value: string) => ({ field: 'code', value, isExact: true }) as const;
const held = (unique: UniqueValue) => ({ collection: contacts, unique });
const holderOf = (unique: UniqueValue, ledger = open()) =>
  ledger.write({ holders: { known: held(unique) } }, (_, { known }) => known);

async function costOf(act: (ledger: Ledger) => Promise<unknown>) {
  const { store, roundTrips } = recordedStore(tableAt());
  const { ledger, capacity } = organization.openLedger({ store });
  await act(ledger);
  const { calls, readUnits } = capacity;
  return { calls, readUnits, roundTrips: roundTrips() };
}

describe('the holder of a unique value', () => {
  test('is given to a write by its id, or undefined if none has it', async () => {
    const [ann, bo] = await add({ email: 'Ann@Example.com' }, { code: 'b-1' });
    const reading = {
      holders: {
        byEmail: held(email('ANN@example.com')),
        byCode: held(code('b-1')),
        again: held(code('b-1')),
        nobody: held(email('zoe@example.com')),
        none: held(email('')),
        pen: { collection: pens, unique: { field: 'number', value: '1' } },
      },
      check: { ann: open().ref(contacts, ann!) },
    };
    await open().write(reading, (_, { ann: one, byEmail, byCode, again, nobody, none, pen }) => {
      expectTypeOf(byEmail).toEqualTypeOf<string | undefined>();
      expectTypeOf(pen).toEqualTypeOf<number | undefined>();
      expect([byEmail, byCode, again]).toEqual([ann, bo, bo]);
      expect([nobody, none, pen]).toEqual([undefined, undefined, undefined]);
      expect(one.id).toBe(ann);
    });
  });

  test('is found by a value of another case, unless it is compared exactly', async () => {
    const [id] = await add({ email: 'Straße@example.com', code: 'Straße' });
    expect(await holderOf(email('STRASSE@example.com'))).toBe(id);
    expect(await holderOf(code('Straße'))).toBe(id);
    for (const other of ['STRASSE', 'straße', 'strasse']) expect(await holderOf(code(other))).toBeUndefined();
    const [other] = await add({ code: 'straße' });
    expect(await holderOf(code('straße'))).toBe(other);
    await expect(add({ code: 'Straße' })).rejects.toMatchObject({
      kind: 'conflict',
      extras: { existingId: id },
    });
  });
});

describe('a record with a unique value', () => {
  test('is found by the value in two round trips; that there is none, in one', async () => {
    const [id] = await add({ email: 'ann@example.com' });
    let found: Contact | undefined;
    const look = (value: string) =>
      costOf(async (ledger) => {
        found = await ledger.findByUnique(contacts, email(value));
      });
    expect(await look('ANN@example.com')).toEqual({ calls: 2, readUnits: 2, roundTrips: 2 });
    expect(found).toEqual({ id, email: 'ann@example.com', code: '', seen: 0 });
    expect(await look('bo@example.com')).toEqual({ calls: 1, readUnits: 1, roundTrips: 1 });
    expect(found).toBeUndefined();
    expect((await look('')).calls).toBe(0);
  });

  test('is the present holder if the value changes hands between the two reads', async () => {
    const [ann, bo] = await add({ email: 'a@example.com' }, { email: 'b@example.com' });
    const [first, second] = [ann, bo].map((id) => open().ref(contacts, id!)) as [
      RecordRef<typeof contacts>,
      RecordRef<typeof contacts>,
    ];
    const swap = () =>
      open().write({ change: { first, second } }, (write, records) => {
        write.event(event);
        write.replace(first, { ...records.first, email: 'c@example.com' });
        write.replace(second, { ...records.second, email: 'a@example.com' });
      });
    let reads = 0;
    const { store } = recordedStore(tableAt(), {}, async (command, _, send) => {
      if (command === 'GetItemCommand' && ++reads === 2) await swap();
      return send();
    });
    const { ledger } = organization.openLedger({ store });
    expect(await ledger.findByUnique(contacts, email('a@example.com'))).toMatchObject({ id: bo });
    expect(reads).toBe(4);
  });
});

describe('a record that a write reads while it is built', () => {
  const ref = (number: number) => ({ collection: contacts, number });
  const pen = { collection: pens, number: 1 };

  test('is changed as it was read: the transaction checks it', async () => {
    await add({ email: 'ann@example.com' });
    const see = (ledger: Ledger, between?: () => Promise<unknown>) =>
      ledger.write({}, async (write) => {
        const one = await write.read(ref(1));
        expectTypeOf(one).toEqualTypeOf<Contact | undefined>();
        await between?.();
        write.replace(ref(1), { ...one!, seen: one!.seen + 1 });
        write.event(event);
      });
    let others = 0;
    await see(open(), () => (others++ === 0 ? see(open()) : Promise.resolve()));
    expect(await open().get(ref(1))).toMatchObject({ seen: 2 });
    expect(others).toBe(2);
  });

  test('includes the changes of the write so far, and is undefined if there is none', async () => {
    await add({ email: 'ann@example.com' });
    const cost = await costOf((ledger) =>
      ledger.write({ change: { one: ref(1) } }, async (write, { one }) => {
        expect(await write.read(ref(1))).toEqual(one);
        write.replace(ref(1), { ...one, seen: 7 });
        expect(await write.read(ref(1))).toMatchObject({ seen: 7 });
        write.remove(ref(1));
        expect(await write.read(ref(1))).toBeUndefined();
        const { ref: added } = write.append(pens, ({ number: id }) => ({ id, uses: 3 }));
        expect(await write.read(added)).toEqual({ id: 1, uses: 3 });
        write.event(event);
      }),
    );
    // Reads: the head and the record; none while the write is built.
    expect(cost).toMatchObject({ calls: 3, readUnits: 2 });
    await open().write({}, async (write) => {
      expect(await Promise.all([write.read(ref(1)), write.read(ref(1)), write.read(ref(9))])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });
  });

  test('may stay unchanged if the read set says so, and is not written then', async () => {
    await open().write({}, (write) => {
      write.append(pens, ({ number: id }) => ({ id, uses: 0 }));
      write.event(event);
    });
    const use = async (isUsed: boolean) => {
      const { ledger, capacity } = organization.openLedger();
      const reading = { change: { one: { ref: pen, mayBeAbsent: true, mayStayUnchanged: true } } } as const;
      await ledger.write(reading, (write, { one }) => {
        if (isUsed) write.replace(pen, { id: 1, uses: (one?.uses ?? 0) + 1 });
        write.event(event);
      });
      return capacity.writeUnits;
    };
    const staying = await use(false);
    expect(await use(true)).toBe(staying + 2);
    expect(await open().get(pen)).toEqual({ id: 1, uses: 1 });
  });
});

test('a record that several writers create if it is missing is created once, even if the head is visible before the record', async () => {
  const simulated = await SimulatedLedger.found();
  simulated.be({ ...defaultBehaviour, lateApplyChance: 0.5 });
  for (let round = 0; round < 10; round++) {
    const collection = { ...pens, name: `PEN${round}` } as const;
    const ref = { collection, number: 1 };
    const use = (pause: number) => async (ledger: Ledger) => {
      await simulated.sleep(pause);
      await ledger.write({ change: { pen: { ref, mayBeAbsent: true } } }, (write, { pen }) => {
        if (pen) write.replace(ref, { ...pen, uses: pen.uses + 1 });
        else write.append(collection, ({ number: id }) => ({ id, uses: 1 }));
        write.event(event);
      });
    };
    await simulated.together([use(0), use(8), use(16)]);
    const { result } = await simulated.run((ledger) => ledger.all(collection));
    expect(result, `round ${round}`).toEqual([{ id: 1, uses: 3 }]);
  }
});

const color = (value: string) => ({ field: 'color', value });
const addInk = (write: Write, value: string) => {
  write.event(event);
  return write.append(inks, ({ number: id }) => ({ id, color: value })).record.id;
};
const addingInk = (value: string) => open().write({}, (write) => addInk(write, value));

describe('the holder of a value that a write looks up while it is built', () => {
  test('is its id, or undefined if none has it', async () => {
    const id = await addingInk('Straße');
    await open().write({}, async (write) => {
      const holder = await write.holderOf(inks, color('STRASSE'));
      expectTypeOf(holder).toEqualTypeOf<number | undefined>();
      expectTypeOf(write.holderOf(contacts, email(''))).toEqualTypeOf<Promise<string | undefined>>();
      expect(holder).toBe(id);
      expect(await write.holderOf(inks, color('red'))).toBeUndefined();
    });
  });

  test('includes the changes of this write', async () => {
    await addingInk('red');
    const ref = { collection: inks, number: 1 };
    await open().write({ change: { pen: ref } }, async (write) => {
      write.replace(ref, { id: 1, color: 'blue' });
      expect(await write.holderOf(inks, color('red'))).toBeUndefined();
      expect(await write.holderOf(inks, color('BLUE'))).toBe(1);
      const id = addInk(write, 'red');
      expect(await write.holderOf(inks, color('red'))).toBe(id);
      write.remove(ref);
      expect(await write.holderOf(inks, color('blue'))).toBeUndefined();
    });
    expect(await open().all(inks)).toEqual([{ id: 2, color: 'red' }]);
  });
});

test('a value whose transaction is under way is found', async () => {
  const simulated = await SimulatedLedger.found();
  simulated.be({ ...defaultBehaviour, lateApplyChance: 0.5 });
  const addUnlessThere = (value: string, pause: number) => async (ledger: Ledger) => {
    await simulated.sleep(pause);
    return ledger.write(
      {},
      async (write) => (await write.holderOf(inks, color(value))) ?? addInk(write, value),
    );
  };
  for (let round = 0; round < 20; round++) {
    const pauses = [0, 6, 9, 12, 15, 18];
    const ids = await simulated.together(pauses.map((pause) => addUnlessThere(`red ${round}`, pause)));
    // A plain read misses the value, and the write that then claims it is refused as a conflict.
    expect(new Set(ids).size).toBe(1);
  }
  expect((await simulated.run((ledger) => ledger.all(inks))).result).toHaveLength(20);
});
