import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import type { TableAccess } from '../../../infra/admin/table/table-reads.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { linesIn } from './copied.ts';
import { fillJobs, withJobs } from './jobs.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { newFolder } from '../../support/new-folder.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

const folder = newFolder();

let table: TableInMemory;
let organization: StoredOrganization;
let count = 0;
let path: string;
const items = itemsOf(() => ({ items: table.items, code: organization.code }));
beforeEach(async () => {
  table = new TableInMemory();
  organization = await table.found();
  path = join(folder, String(count++));
});

const exported = (options = {}, access = table.access) =>
  table.run(() => exportOrganization(access, organization.code, path, options));
const ledger = () => organization.openLedger().ledger;
const addFaq = () => createFaq(ledger(), { question: 'Q', answer: 'A' });
const addLead = () => createLead(ledger(), { name: 'Sofia' });
const moveLead = (id: string) => updateLead(ledger(), id, { suburb: 'Fremantle' });
const newest = async () => (await items.get(items.head()))['version'] as number;
const minutesPass = (minutes: number) => table.run(() => table.access.system.sleep(minutes * 60_000));

/** Adds more copies of the newest event than an export reads back by number. Returns the last one's number. */
async function addEvents(): Promise<number> {
  const first = await newest();
  const event = await items.get(items.at('EVENT', first));
  const last = first + 1001;
  for (let number = first + 1; number <= last; number++)
    await items.put({
      ...event,
      ...items.at('EVENT', number),
      id: number,
      revision: number,
      touched: '',
    });
  await items.edit(items.head(), (head) => ({ ...head, version: last }));
  return last;
}

/** The table, read with a clock that runs ahead. */
function accessAhead(milliseconds: number): TableAccess {
  const access = table.newAccess();
  const { system } = access;
  return { ...access, system: { ...system, now: () => system.now() + milliseconds } };
}

/** Runs an action once the first records are read, or after further tries. */
function meanwhile(act: () => Promise<unknown>, { client } = table.access, tries = 1) {
  let acting: Promise<unknown> | undefined;
  let count = 0;
  aroundCalls(client, async (operation, send) => {
    // The head is read again once everything was read.
    if (operation === 'BatchGetItem' && ++count >= tries) await (acting ??= act());
    return send();
  });
}

test('a record added meanwhile is exported as of the newest event', async () => {
  await table.run(addFaq);
  meanwhile(addFaq);
  const { version, counts } = await exported();
  expect(counts).toMatchObject({ FAQ: 2, EVENT: version });
  expect(linesIn(path)['faqs.jsonl']).toHaveLength(2);
});

test('an event that does not list the records of its write ends the export', async () => {
  await table.run(addFaq);
  const last = await newest();
  await items.edit(items.at('EVENT', last), ({ touched, ...event }) => event);
  await expect(exported()).rejects.toThrow(`Event ${last} cannot be read: "organization verify"`);
});

test.each(['is there', 'is late as well'])(
  'the export waits for a late record, with a clock that is ahead; the newest event %s',
  async (newestEvent) => {
    const { id } = await table.run(addLead);
    const before = await items.get(items.at('LEAD', 1));
    await table.run(() => moveLead(id));
    const after = await items.get(items.at('LEAD', 1));
    // The event of the lead is read back for its time alone.
    const moved = await newest();
    const last = await addEvents();
    const late = [after];
    if (newestEvent !== 'is there') {
      late.push(await items.get(items.at('EVENT', last)));
      await items.remove(items.at('EVENT', last));
    }
    await items.put(before);

    const access = accessAhead(60_001);
    meanwhile(() => Promise.all(late.map((item) => items.put(item))), access);
    expect((await exported({}, access)).version).toBe(last);
    expect(linesIn(path)['leads.jsonl']).toMatchObject([
      { revision: moved, record: { suburb: 'Fremantle' } },
    ]);
  },
);

test('no record is newer than the version of the export', async () => {
  const { id } = await table.run(addLead);
  // So the search does not know the lead's earlier change.
  await addEvents();
  await minutesPass(2);
  const head = await items.get(items.head());
  await table.run(() => moveLead(id));
  const version = await newest();
  const late = [await items.get(items.head()), await items.get(items.at('EVENT', version))];
  await items.put(head);
  await items.remove(items.at('EVENT', version));
  // For two tries only the lead shows the write.
  meanwhile(() => Promise.all(late.map((item) => items.put(item))), undefined, 3);
  expect((await exported()).version).toBe(version);
  expect(linesIn(path)['leads.jsonl']).toMatchObject([{ revision: version }]);
});

test('a repair meanwhile ends the export', async () => {
  meanwhile(async () => {
    await addFaq();
    const { version } = (await items.get(items.head())) as { version: number };
    await items.edit(items.at('EVENT', version), (event) => ({ ...event, event: 'ORGANIZATION_REPAIRED' }));
  });
  await expect(exported()).rejects.toThrow('The organization was repaired meanwhile: export it again.');
});

test('a record that never matches its event is reported after two minutes', async () => {
  await table.run(addFaq);
  await items.edit(items.at('FAQ', 1), (faq) => ({ ...faq, revision: 1 }));
  await expect(exported()).rejects.toThrow(/changed too fast, or FAQ 1 does not match the events/);
});

test('attributes and collections that only newer code knows are exported', async () => {
  await table.run(() => fillJobs(organization.openLedger().ledger));
  await table.run(addFaq);
  await items.edit(items.at('FAQ', 1), (faq) => ({
    ...faq,
    mood: 'good',
    gsi8pk: `ORG#${organization.code}#FAQ#8`,
    gsi8sk: 'q\t1',
  }));
  await exported();
  const lines = linesIn(path);
  expect(lines['faqs.jsonl']).toMatchObject([
    { more: { mood: 'good' }, places: { gsi8: ['FAQ#8', 'q\t1'] } },
  ]);
  // Collections that this code does not know are exported as well.
  const [, job] = lines['jobs.jsonl']!;
  expect(job).toMatchObject({
    record: { state: 'OPEN' },
    places: { gsi9: ['remind', '2030-01-01T00:00:00.000Z'] },
  });
  path += '-known';
  await exported(withJobs);
  expect(linesIn(path)['jobs.jsonl']![1]!['places']).not.toHaveProperty('gsi9');
});
