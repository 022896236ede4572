import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { beforeEach, expect, test } from 'vitest';
import type { Collection, RecordRef } from '../../../shared/ledger/index.ts';
import { headKey, listPartition, stateKey } from '../../../shared/ledger/internal/keys.ts';
import { newOrganization, type TestOrganization } from '../../support/test-organization.ts';
import { documents, itemAt, TableName } from './items-of-table.ts';

const folders = {
  name: 'FOLDER',
  label: 'folder',
  schema: v.object({ id: v.number() }),
} as const satisfies Collection;

const Paper = v.object({ id: v.number(), tag: v.string(), folder: v.number(), text: v.string() });
type Paper = v.InferOutput<typeof Paper>;
/** Papers have one tag, or none: there is a list of each tag, and within each folder too. */
const papers = {
  name: 'PAPER',
  label: 'paper',
  schema: Paper,
  lists: {
    tag: { of: ({ tag }: Paper) => (tag === '' ? undefined : { name: tag }), hasManyNames: true },
    folderAndTag: {
      of: ({ folder, tag }: Paper) =>
        tag === '' || folder === 0 ? undefined : { owner: { collection: folders, id: folder }, name: tag },
      hasManyNames: true,
    },
  },
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const query = { page: 1, limit: 50 };

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const open = () => organization.openLedger().ledger;
const keyOf = (tag: string) =>
  stateKey(listPartition(organization.code, { collection: 'PAPER', index: 'gsi1', name: tag }));
const paper = (number: number): RecordRef<typeof papers> => ({ collection: papers, number });

/** Adds papers, in one write. */
const add = (fields: Partial<Paper>[], ledger = open()) =>
  ledger.write({}, (write) => {
    write.event(event);
    for (const one of fields) {
      write.append(papers, ({ number: id }) => ({ id, tag: '', folder: 0, text: '', ...one }));
    }
  });
const change = (number: number, changes: Partial<Paper>, ledger = open()) =>
  ledger.write({ change: { one: paper(number) } }, (write, { one }) => {
    write.event(event);
    write.replace(paper(number), { ...one, ...changes });
  });
const tagged = async (tag: string, ledger = open()) => {
  const { items, totalCount } = await ledger.list(papers, 'tag', tag, query);
  expect(totalCount).toBe(items.length);
  return items.map(({ id }) => id);
};

test('lists with many names work as any others, and the head does not grow with them', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `tag ${at}`);
  await add(names.map((tag) => ({ tag })));
  await add([{ tag: 'tag 3' }, { tag: 'tag 3' }, {}]);
  expect(await tagged('tag 3')).toEqual([42, 41, 4]);
  await change(41, { tag: 'tag 4' });
  await change(4, { tag: '' });
  await open().write({ change: { one: paper(5) } }, (write) => {
    write.event(event);
    write.remove(paper(5));
  });
  expect(await tagged('tag 3')).toEqual([42]);
  expect(await tagged('tag 4')).toEqual([41]);
  await change(4, { tag: 'tag 3' });
  expect(await tagged('tag 3')).toEqual([4, 42]);
  expect(await tagged('none has it')).toEqual([]);
  const { lists } = (await itemAt(headKey(organization.code)))!;
  expect(Object.keys(lists as object).filter((name) => name.startsWith('PAPER'))).toEqual(['PAPER']);
  expect(await itemAt(keyOf('tag 3'))).toEqual({ ...keyOf('tag 3'), state: '4-2~DA' });
});

test('attributes of a newer version of the code stay in a state item', async () => {
  await add([{ tag: 'a' }]);
  const update = { UpdateExpression: 'SET later = :later', ExpressionAttributeValues: { ':later': 'kept' } };
  await documents.send(new UpdateCommand({ TableName, Key: { ...keyOf('a') }, ...update }));
  await add([{ tag: 'a' }]);
  expect(await itemAt(keyOf('a'))).toMatchObject({ state: '2', later: 'kept' });
});

test('such a list does not need the record that owns it: none reads the owner to join, and the list outlives it', async () => {
  const { ref } = await open().write({}, (write) => {
    write.event(event);
    return write.append(folders, ({ number }) => ({ id: number }));
  });
  await add([{ tag: 'a', folder: 1 }, { tag: 'a', folder: 1 }, { tag: 'b', folder: 1 }, { tag: 'a' }]);
  await change(2, { tag: 'b' });
  const inFolder = async (name: string) => {
    const found = await open().ownedList(ref, papers, 'folderAndTag', query, { name });
    const { items, totalCount, owner } = found;
    return { totalCount, owner, ids: items.map(({ id }) => id) };
  };
  expect(await inFolder('a')).toEqual({ ids: [1], totalCount: 1, owner: { id: 1 } });
  expect(await inFolder('b')).toEqual({ ids: [2, 3], totalCount: 2, owner: { id: 1 } });
  await open().write({ change: { ref } }, (write) => {
    write.event(event);
    write.remove(ref);
  });
  expect(await inFolder('b')).toEqual({ ids: [2, 3], totalCount: 2, owner: undefined });
});
