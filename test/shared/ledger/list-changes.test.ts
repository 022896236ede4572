import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Collection, RecordRef } from '../../../shared/ledger/index.ts';
import { countsKey, headKey, listPartition } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, formatState } from '../../../shared/ledger/internal/list-state.ts';
import { newOrganization, type TestOrganization } from '../../support/test-organization.ts';
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

describe('the counts of a long list', () => {
  const card = { collection: cards, number: 1 };
  const counts = () => itemAt(countsKey(partitionOf('open')));

  beforeEach(() => newCards('open'));

  /** Makes the list look as if it had had many more members. */
  const lengthen = (last: number, left: number) =>
    documents.send(
      new UpdateCommand({
        TableName,
        Key: { ...headKey(organization.code) },
        UpdateExpression: 'SET lists.#name = :state',
        ExpressionAttributeNames: { '#name': 'CARD#1#open' },
        ExpressionAttributeValues: { ':state': formatState({ last, left, newest: 0n }) },
      }),
    );

  test('are two units more, and no call', async () => {
    await lengthen(bucketSize + 1, 0);
    const { ledger, capacity } = organization.openLedger();
    await change(1, { stage: 'done' }, ledger);
    // Head, card, event, its old and new positions, a bucket, and the counts.
    expect(capacity).toMatchObject({ calls: 3, readUnits: 2, writeUnits: 2 + 2 + 2 + 2 + 2 + 2 });
    expect(await counts()).toMatchObject({ left: 1, 0: 1 });
  });

  test('begin with its second bucket, whether or not a member leaves in that write', async () => {
    await lengthen(bucketSize, 3);
    await newCards('open');
    expect(await counts()).toEqual({ ...countsKey(partitionOf('open')), left: 3 });
    await lengthen(bucketSize, 3);
    await open().write({ change: { one: card } }, (write, { one }) => {
      write.event(event);
      write.append(cards, ({ number }) => ({ id: number, title: '', stage: 'open' }));
      write.replace(card, { ...one, stage: 'done' });
    });
    expect(await counts()).toMatchObject({ left: 4, 0: 1 });
  });
});

describe('a record', () => {
  test('that moves there and back in one write has not moved', async () => {
    await newCards('open', 'open');
    const ref = { collection: cards, number: 1 };
    await open().write({ change: { card: ref } }, (write, { card }) => {
      write.event(event);
      write.replace(ref, { ...card, stage: 'done' });
      write.replace(ref, { ...card, title: 'New' });
    });
    expect(idsOf(await stageOf('open'))).toEqual([2, 1]);
    expect(await stageOf('done')).toMatchObject({ items: [], totalCount: 0 });
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
    const { owner, items, totalCount } = await open().ownedList(ref, notes, 'board', query);
    expect([owner, items.map(({ id }) => id), totalCount]).toEqual([undefined, [3, 1], 2]);
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
