import { beforeAll, describe, expect, test } from 'vitest';
import {
  createCompanyNote,
  companies,
  createCompany,
  deleteCompanyNote,
  getCompanyNote,
  listCompanyNotes,
  notes,
  updateCompany,
  updateCompanyNote,
  type NoteName,
} from '../../../../shared/domain/companies/companies.ts';
import { deleteCompany } from '../../../../shared/domain/companies/delete-company.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';
import {
  countsKey,
  headKey,
  holesKey,
  stateName,
  recordKey,
} from '../../../../shared/ledger/internal/keys.ts';
import { bucketSize, formatState, windowSize } from '../../../../shared/ledger/internal/list-state.ts';
import { listOf, listOfAll } from '../../../../shared/ledger/internal/lists.ts';
import { countBits, holeBits, increments } from '../../../../shared/ledger/internal/packed-numbers.ts';
import { ErasedOrganization } from '../erasure/erased-organization.ts';

/** A company with this number of notes: its name and its notes contain "Bayview". */
async function companyWithNotes(organization: ErasedOrganization, count: number) {
  const { userId } = organization;
  return organization.run(async (ledger) => {
    const { id } = await createCompany(ledger, { name: 'Bayview Strata' });
    const noteIds: number[] = [];
    for (let at = 0; at < count; at++)
      noteIds.push((await createCompanyNote(ledger, id, { value: `Bayview ${at}`, userId })).id);
    return { id, noteIds };
  });
}

const isGone = async (organization: ErasedOrganization) =>
  !(await organization.everything()).includes('Bayview');
/** The kind of the error that something fails with, or its result. */
const outcomeOf = <T>(outcome: Promise<T>) =>
  outcome.catch((error: unknown) => (error as { kind: string }).kind);
const notFound = { kind: 'notFound', message: expect.stringMatching(/ (company|note)$/) as string };

test('a deletion goes on with the next request if time runs out, and says so only if something is stored', async () => {
  const organization = await ErasedOrganization.found();
  const { id } = await companyWithNotes(organization, 70);
  const { table } = organization;
  table.beReal();
  const outcomes = new Set<unknown>();
  for (let milliseconds = -1; !outcomes.has(true); milliseconds += 5) {
    const before = (await organization.events()).length;
    const ledger = organization.ledger(milliseconds);
    const outcome = await outcomeOf(table.run(() => deleteCompany(ledger, id)));
    outcomes.add(outcome);
    if (outcome === 'unavailable') expect(await organization.events()).toHaveLength(before);
  }
  expect([...outcomes]).toEqual(['unavailable', false, true]);
  expect(await organization.findings()).toEqual([]);
  expect(await isGone(organization)).toBe(true);
  expect(await outcomeOf(organization.run((ledger) => deleteCompany(ledger, id)))).toBe('notFound');
});

test('notes whose places are far apart in both lists fit into a transaction', async () => {
  const organization = await ErasedOrganization.found();
  const { id } = await companyWithNotes(organization, 0);
  const { code, userId } = organization;
  const { items } = organization.table;
  const owner = { collection: companies, id };
  const lists = [
    { key: headKey(code), ...listOfAll(code, notes) },
    { key: recordKey(code, 'COMPANY', 1), ...listOf(code, notes, 'company', { owner }) },
  ];
  const buckets = Array.from({ length: 33 }, (_, at) => at);
  // As if so many notes had come and gone that each of these is the last of its bucket.
  const gone = Array.from({ length: bucketSize - 1 }, (_, at) => at);
  for (const at of buckets) {
    for (const { key, ...list } of lists) {
      const item = await items.get(key);
      const state = {
        last: (at + 1) * bucketSize - 1,
        left: (at + 1) * gone.length,
        newest: 2n ** BigInt(windowSize) - 1n,
      };
      await items.put({
        ...item,
        lists: { ...(item['lists'] as object), [stateName(list)]: formatState(state) },
      });
    }
    await organization.run((ledger) => createCompanyNote(ledger, id, { value: `Bayview ${at}`, userId }));
  }
  for (const { partition } of lists) {
    const holes = Object.fromEntries(increments(holeBits, gone));
    for (const at of buckets) await items.put({ ...holesKey(partition, at), ...holes });
    const counts = increments(
      countBits,
      buckets.flatMap((at) => gone.map(() => at)),
    );
    const left = buckets.length * gone.length;
    await items.put({ ...countsKey(partition), ...Object.fromEntries(counts), left });
  }
  expect(await organization.findings()).toEqual([]);
  expect(await organization.run((ledger) => deleteCompany(ledger, id))).toBe(true);
  expect(await organization.findings()).toEqual([]);
  expect(await isGone(organization)).toBe(true);
});

describe('a deletion that is killed at some call', () => {
  let organization: ErasedOrganization;
  let image: ReturnType<ErasedOrganization['table']['image']>;
  let company: Awaited<ReturnType<typeof companyWithNotes>>;
  beforeAll(async () => {
    organization = await ErasedOrganization.found();
    company = await companyWithNotes(organization, 40);
    image = organization.table.image();
  });

  test.each(['before', 'after'] as const)(
    'leaves consistent data, and the next one completes it: %s DynamoDB has carried it out',
    async (when) => {
      const { id } = company;
      const remove = (ledger: Ledger) => deleteCompany(ledger, id);
      image.restore();
      await organization.kill(Infinity, when, remove);
      const { calls } = organization;
      const inEnd = await organization.events();
      const leftBehind = new Set<string>();
      for (let at = 1; at <= calls; at++) {
        image.restore();
        await organization.kill(at, when, remove);
        expect(await organization.findings(), `call ${at}`).toEqual([]);
        const [last = ''] = await organization.events(1);
        leftBehind.add(last.replace(/ .*/, ''));
        const outcome = await outcomeOf(organization.run(remove));
        // The last transaction was stored, and nobody was told.
        const isDone = (await organization.events(4)).length < 4 || outcome === 'notFound';
        expect(outcome, `call ${at}`).toBe(isDone ? 'notFound' : true);
        expect(await organization.events(), `call ${at}`).toEqual(inEnd);
      }
      expect([...leftBehind]).toEqual(['NOTE_CREATED', 'COMPANY_DELETED', 'NOTES_DELETED']);
      expect(await isGone(organization)).toBe(true);
    },
  );
});

describe('a request that meets a deletion before any of its calls to DynamoDB', () => {
  let organization: ErasedOrganization;
  let image: ReturnType<ErasedOrganization['table']['image']>;
  let id: string;
  let name: NoteName;
  beforeAll(async () => {
    organization = await ErasedOrganization.found();
    const company = await companyWithNotes(organization, 3);
    ({ id } = company);
    name = { companyId: id, noteId: company.noteIds[1]! };
    image = organization.table.image();
  });

  test.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    [
      'adds a note',
      (ledger) => createCompanyNote(ledger, id, { value: 'Bayview', userId: organization.userId }),
    ],
    ['reads a note', (ledger) => getCompanyNote(ledger, name)],
    ['changes a note', (ledger) => updateCompanyNote(ledger, name, { value: 'Bayview, new' })],
    ['deletes a note', (ledger) => deleteCompanyNote(ledger, name)],
    ['lists the notes', (ledger) => listCompanyNotes(ledger, id, { page: 1, limit: 2 })],
    ['changes the company', (ledger) => updateCompany(ledger, id, { name: 'Bayview' })],
    ['deletes the company', (ledger) => deleteCompany(ledger, id)],
  ])('and that %s finds all of it or is answered 404', async (_, act) => {
    const found: unknown[] = [];
    for (let at = 1; ; at++) {
      image.restore();
      const remove = () => deleteCompany(organization.ledger(), id);
      const { outcome, isMet } = await organization.meet(at, act, remove);
      if (!isMet) break;
      found.push(outcome);
      expect(await organization.findings(), `call ${at}`).toEqual([]);
      expect(await isGone(organization), `call ${at}`).toBe(true);
    }
    expect(found[0]).toMatchObject(notFound);
    for (const each of found) if (each instanceof Error) expect(each).toMatchObject(notFound);
  });
});
