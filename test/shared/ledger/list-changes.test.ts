import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Collection, RecordRef } from '../../../shared/ledger/index.ts';
import {
  countsKey,
  headKey,
  holesKey,
  listPartition,
  recordKey,
} from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, formatState } from '../../../shared/ledger/internal/list-state.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import { newOrganization, newStore, type TestOrganization } from '../../support/world.ts';
import { documents, itemAt, TableName } from './items-of-table.ts';

const boards = {
  name: 'BOARD',
  label: 'board',
  schema: v.object({ id: v.number(), name: v.string(), shelf: v.string() }),
  uniques: ({ name }: { name: string }) => [{ field: 'name', value: name }],
  lists: { shelf: { of: ({ shelf }: { shelf: string }) => ({ name: shelf }) } },
  eventListIndex: 0,
} as const satisfies Collection;

const Card = v.object({ id: v.number(), title: v.string(), stage: v.string() });
const ofStage = { of: ({ stage }: { stage: string }) => ({ name: stage }) };
const cards = {
  name: 'CARD',
  label: 'card',
  schema: Card,
  lists: { stage: ofStage },
} as const satisfies Collection;

const notes = {
  name: 'NOTE',
  label: 'note',
  schema: v.object({ id: v.number(), board: v.number() }),
  lists: {
    board: { of: ({ board }: { board: number }) => ({ owner: { collection: boards, id: board } }) },
  },
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const query = { page: 1, limit: 50 };

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const open = () => organization.openLedger().ledger;
const stored = (collection: Collection, number: number) =>
  itemAt(recordKey(organization.code, collection.name, number));
const partitionOf = (stage: string) =>
  listPartition(organization.code, { collection: 'CARD', index: 'gsi1', name: stage });
const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);

const newBoard = (name = 'Größe') =>
  open().write({}, (write) => {
    write.event(event);
    return write.append(boards, ({ number }) => ({ id: number, name, shelf: 'top' })).ref;
  });
const newNotes = (ref: RecordRef<typeof boards>, count = 1) =>
  open().write({ change: { ref } }, (write) => {
    write.event(event);
    for (let at = 0; at < count; at++) {
      write.append(notes, ({ number }) => ({ id: number, board: ref.number }));
    }
  });
const newCards = (...stages: string[]) =>
  open().write({}, (write) => {
    write.event(event);
    for (const stage of stages) write.append(cards, ({ number }) => ({ id: number, title: '', stage }));
  });
const change = (number: number, changes: Partial<v.InferOutput<typeof Card>>, ledger = open()) => {
  const ref = { collection: cards, number };
  return ledger.write({ change: { card: ref } }, (write, { card }) => {
    write.event(event);
    write.replace(ref, { ...card, ...changes });
  });
};
const remove = (ref: RecordRef, ledger = open()) =>
  ledger.write({ change: { ref } }, (write) => {
    write.event(event);
    write.remove(ref);
  });
const stageOf = (name: string) => open().list(cards, 'stage', name, query);

describe('what a change of lists costs', () => {
  const costOf = async (act: (ledger: ReturnType<typeof open>) => Promise<unknown>) => {
    const { store, commands } = faultyStore(() => 'pass');
    const { ledger, capacity } = organization.openLedger({ store });
    await act(ledger);
    return { commands, units: [capacity.readUnits, capacity.writeUnits] };
  };
  const get = 'GetItemCommand';
  const transact = 'TransactWriteItemsCommand';
  const card = { collection: cards, number: 1 };
  const record = { head: 2, card: 2, event: 2 };
  const all = (...units: number[]) => units.reduce((sum, unit) => sum + unit, 0);

  beforeEach(() => newCards('open'));

  /** Makes a list look as if it had had many more members. */
  const lengthen = (name: string, [last, left]: [number, number] = [bucketSize + 1, 0]) =>
    documents.send(
      new UpdateCommand({
        TableName,
        Key: { ...headKey(organization.code) },
        UpdateExpression: 'SET lists.#name = :state',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':state': formatState({ last, left, newest: 0n }) },
      }),
    );

  test('a record that joins one: its position in the index', async () => {
    const { commands, units } = await costOf((ledger) =>
      ledger.write({}, (write) => {
        write.event(event);
        write.append(cards, ({ number }) => ({ id: number, title: '', stage: 'open' }));
      }),
    );
    expect(commands).toEqual([get, transact]);
    expect(units).toEqual([1, all(record.head, record.card, record.event, 1)]);
  });

  test('a record that stays where it is: nothing', async () => {
    const before = await stored(cards, 1);
    const { commands, units } = await costOf((ledger) => change(1, { title: 'New' }, ledger));
    expect(commands).toEqual([get, get, transact]);
    expect(units).toEqual([2, all(record.head, record.card, record.event, 1)]);
    expect(await stored(cards, 1)).toEqual({ ...before, title: 'New', revision: 4 });
    expect(await itemAt(holesKey(partitionOf('open'), 0))).toBeUndefined();
  });

  test('a record that moves: its old and new positions, and a bucket, which is not read', async () => {
    const { commands, units } = await costOf((ledger) => change(1, { stage: 'done' }, ledger));
    expect(commands).toEqual([get, get, transact]);
    expect(units).toEqual([2, all(record.head, record.card, record.event, 2, 2)]);
    expect(await itemAt(countsKey(partitionOf('open')))).toBeUndefined();
  });

  test('… out of a list that has had more than 4096 members: the counts too', async () => {
    await lengthen('CARD#1#open');
    const { commands, units } = await costOf((ledger) => change(1, { stage: 'done' }, ledger));
    expect(commands).toEqual([get, get, transact]);
    expect(units).toEqual([2, all(record.head, record.card, record.event, 2, 2, 2)]);
    expect(await itemAt(countsKey(partitionOf('open')))).toMatchObject({ left: 1, 0: 1 });
  });

  test('a list that gets its second bucket gets counts, whether or not a member leaves in that write', async () => {
    await lengthen('CARD#1#open', [bucketSize, 3]);
    const joining = await costOf((ledger) =>
      ledger.write({}, (write) => {
        write.event(event);
        write.append(cards, ({ number }) => ({ id: number, title: '', stage: 'open' }));
      }),
    );
    expect(joining.units).toEqual([1, all(record.head, record.card, record.event, 1, 2)]);
    expect(await itemAt(countsKey(partitionOf('open')))).toEqual({
      ...countsKey(partitionOf('open')),
      left: 3,
    });

    await lengthen('CARD#1#open', [bucketSize, 3]);
    await open().write({ change: { one: card } }, (write, { one }) => {
      write.event(event);
      write.append(cards, ({ number }) => ({ id: number, title: '', stage: 'open' }));
      write.replace(card, { ...one, stage: 'done' });
    });
    expect(await itemAt(countsKey(partitionOf('open')))).toMatchObject({ left: 4, 0: 1 });
  });

  test('a record that is deleted: a bucket of each of its lists, and the counts of the long ones', async () => {
    const { units } = await costOf((ledger) => remove(card, ledger));
    expect(units).toEqual([2, all(record.head, record.card, record.event, 1, 2, 2)]);
    await newCards('open');
    await lengthen('CARD');
    const { units: more } = await costOf((ledger) => remove({ collection: cards, number: 2 }, ledger));
    expect(more).toEqual([2, all(record.head, record.card, record.event, 1, 2, 2, 2)]);
  });
});

describe('a record', () => {
  test('that comes back to a list is its newest member', async () => {
    await newCards('open', 'open', 'open');
    await change(1, { stage: 'done' });
    await change(3, { stage: 'done' });
    expect(await stageOf('open')).toMatchObject({ items: [{ id: 2 }], totalCount: 1 });
    await change(1, { stage: 'open' });
    expect(idsOf(await stageOf('open'))).toEqual([1, 2]);
    expect(idsOf(await stageOf('done'))).toEqual([3]);
    expect(await stored(cards, 1)).toMatchObject({ gsi1pk: partitionOf('open'), gsi1sk: 4 });
  });

  test('that moves there and back in one write has not moved', async () => {
    await newCards('open', 'open');
    const ref = { collection: cards, number: 1 };
    await open().write({ change: { card: ref } }, (write, { card }) => {
      write.event(event);
      write.replace(ref, { ...card, stage: 'done' });
      write.replace(ref, { ...card, title: 'New' });
    });
    expect(idsOf(await stageOf('open'))).toEqual([2, 1]);
    expect(await stageOf('done')).toEqual({ items: [], totalCount: 0 });
  });

  test('that is added and deleted in one write was never there', async () => {
    await newCards('open');
    await open().write({}, (write) => {
      write.event(event);
      write.remove(write.append(cards, ({ number }) => ({ id: number, title: '', stage: 'open' })).ref);
    });
    expect(idsOf(await stageOf('open'))).toEqual([1]);
    expect(await open().page(cards, query)).toMatchObject({ items: [{ id: 1 }], totalCount: 1 });
    await newCards('open');
    expect(idsOf(await open().page(cards, query))).toEqual([3, 1]);
  });

  test.each(['', '1', '000000000001', '000000000001#NOTE#1', 'a#b#', '#', 'LIST', 'Straße\n🙂'])(
    'is in the list of its name, whatever that is: %j',
    async (name) => {
      await newCards(name, 'other', name);
      await change(3, { stage: 'other' });
      await change(2, { stage: name });
      expect(await stageOf(name)).toMatchObject({ items: [{ id: 2 }, { id: 1 }], totalCount: 2 });
      expect(await stageOf('other')).toMatchObject({ items: [{ id: 3 }], totalCount: 1 });
    },
  );
});

describe('a record that owns lists', () => {
  test('keeps its positions and values if only one of its lists changes', async () => {
    const ref = await newBoard('Straße');
    const before = await stored(boards, 1);
    await newNotes(ref);
    await open().write({ change: { ref } }, (write) => {
      write.event(event, [ref]);
    });
    const after = { ...before, revision: 5, lists: { 'NOTE#1': '1', 'EVENT#1': '1' } };
    expect(await stored(boards, 1)).toEqual(after);
    expect(after).toMatchObject({ gsi1sk: 1, claimed: { Straße: ['strasse'] } });
    // Values are released in the form in which they were claimed.
    await remove(ref);
    await newBoard('STRASSE');
  });

  test('must be read by a write that lets a record join or leave', async () => {
    const { number } = await newBoard();
    const blind = open().write({}, (write) => {
      write.event(event);
      write.append(notes, ({ number: id }) => ({ id, board: number }));
    });
    await expect(blind).rejects.toThrow('A list of NOTE#1 changes, and its BOARD was not read to change');
  });

  test('and is removed: none can join its lists, and members can leave them', async () => {
    const ref = await newBoard();
    await newNotes(ref, 3);
    await remove(ref);
    const board = { ref, mayBeAbsent: true } as const;
    const joining = open().write({ change: { board } }, (write) => {
      write.event(event);
      write.append(notes, ({ number }) => ({ id: number, board: ref.number }));
    });
    await expect(joining).rejects.toThrow('A record joins a list of NOTE whose owner is not there');
    const note = { collection: notes, number: 2 };
    await open().write({ change: { board, note } }, async (write) => {
      await write.readFormer(ref);
      write.event(event);
      write.remove(note);
    });
    const page = await open().ownedList(ref, notes, 'board', query);
    expect(page).toEqual({
      items: [
        { id: 3, board: 1 },
        { id: 1, board: 1 },
      ],
      totalCount: 2,
      owner: undefined,
    });
  });

  test('and is removed: the events of that write are in its list, in order', async () => {
    const ref = await newBoard();
    await open().write({ change: { ref } }, (write) => {
      write.event(event, [ref]);
      write.remove(ref);
      write.event(event, [ref]);
    });
    const { owner, ...page } = await open().eventsOf(ref, query);
    expect(owner).toBeUndefined();
    expect(page).toMatchObject({ items: [{ id: 5 }, { id: 4 }], totalCount: 2 });
  });
});

describe('a record that was stored before its collection had owned lists', () => {
  const { lists, ...before } = notes;
  const note = { collection: notes, number: 1 };
  const ofBoard = (ref: RecordRef<typeof boards>) => open().ownedList(ref, notes, 'board', query);
  const inNoList = { items: [], totalCount: 0 };
  let first: RecordRef<typeof boards>;
  let second: RecordRef<typeof boards>;
  beforeEach(async () => {
    expect(Object.keys(lists)).toEqual(['board']);
    [first, second] = [await newBoard('One'), await newBoard('Two')];
    await open().write({}, (write) => {
      write.append(before, () => ({ id: 1, board: first.number }));
      write.event(event);
    });
  });

  test('stays out of its list while it does not move, whether the owner was read or not', async () => {
    await open().write({ change: { one: note } }, (write, { one }) => {
      write.replace(note, one);
      write.event(event);
    });
    const owner = { ref: first, mayBeAbsent: true, mayStayUnchanged: true } as const;
    await open().write({ change: { one: note, owner } }, (write, { one }) => {
      write.replace(note, one);
      write.event(event);
    });
    expect(await ofBoard(first)).toMatchObject(inNoList);
    await open().write({ change: { one: note } }, (write) => {
      write.remove(note);
      write.event(event);
    });
  });

  test('joins one as it moves, and its owner must be read for that', async () => {
    const move = (change: Record<string, RecordRef>) =>
      open().write({ change: { ...change, one: note } }, (write) => {
        write.replace(note, { id: 1, board: second.number });
        write.event(event);
      });
    await expect(move({})).rejects.toThrow('was not read to change');
    await move({ second });
    expect(await ofBoard(first)).toMatchObject(inNoList);
    expect(await ofBoard(second)).toMatchObject({ items: [{ id: 1 }], totalCount: 1 });
  });
});

describe('writers that race', () => {
  test('for one list: every member that leaves makes one hole', async () => {
    await newCards(...Array.from({ length: 30 }, () => 'open'));
    const leaving = Array.from({ length: 20 }, (_, at) => at + 3);
    await Promise.all(
      leaving.map((number) =>
        change(number, { stage: 'done' }, organization.openLedger({ store: newStore() }).ledger),
      ),
    );
    expect(await stageOf('open')).toMatchObject({ totalCount: 10 });
    expect(idsOf(await stageOf('open'))).toEqual([30, 29, 28, 27, 26, 25, 24, 23, 2, 1]);
    expect(idsOf(await stageOf('done')).sort((a, b) => a - b)).toEqual(leaving);
  });

  test('for one member: it ends in one list, and has left all others', async () => {
    await newCards('open', 'open');
    const stages = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      stages.map((stage) => change(1, { stage }, organization.openLedger({ store: newStore() }).ledger)),
    );
    const totals = await Promise.all(stages.map(async (stage) => (await stageOf(stage)).totalCount));
    expect(totals.sort()).toEqual([0, 0, 0, 0, 1]);
    expect(idsOf(await stageOf('open'))).toEqual([2]);
  });
});

describe('a list of a kind that only a newer version of the code knows', () => {
  const titled = { of: ({ title }: { title: string }) => ({ name: title }) };
  const newer = { ...cards, lists: { stage: ofStage, title: titled } } as const satisfies Collection;
  const first = { collection: cards, number: 1 };
  const remove = () =>
    open().write({ change: { card: first } }, (write) => {
      write.remove(first);
      write.event(event);
    });

  test.each([
    ['stays unchanged when this one changes a record', () => change(1, { stage: 'done' }), [2, 1], [1, 2]],
    ['is left by a record that this one removes', remove, [2], [2]],
  ] as const)('%s', async (_, act, titles, done) => {
    await open().write({}, (write) => {
      write.event(event);
      for (const stage of ['open', 'done']) {
        write.append(newer, ({ number }) => ({ id: number, title: 'Some', stage }));
      }
    });
    await act();
    const page = await open().list(newer, 'title', 'Some', query);
    expect([idsOf(page), page.totalCount]).toEqual([titles, titles.length]);
    expect(idsOf(await stageOf('done'))).toEqual(done);
  });
});

test('more kinds of lists than there are indexes are refused, and events in two lists of one index', async () => {
  const kinds = Array.from(
    { length: 6 },
    (_, at) => [`kind${at}`, { of: () => ({ name: 'some' }) }] as const,
  );
  const many = { ...cards, lists: Object.fromEntries(kinds) } as const satisfies Collection;
  const adding = open().write({}, (write) => {
    write.event(event);
    write.append(many, ({ number }) => ({ id: number, title: '', stage: '' }));
  });
  await expect(adding).rejects.toThrow('CARD has no lists of the kind kind5, or more kinds than indexes');
  const [one, other] = [await newBoard('One'), await newBoard('Other')];
  const telling = open().write({ change: { one, other } }, (write) => {
    write.event(event, [one, other]);
  });
  await expect(telling).rejects.toThrow('An event is in two lists of one index');
  expect(() => open().eventsOf({ collection: cards, number: 1 }, query)).toThrow(
    'The records of CARD have no lists of events',
  );
});
