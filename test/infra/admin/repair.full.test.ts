import { expect, test } from 'vitest';
import { findingsIn, adviceByKind, type FindingKind } from '../../../infra/admin/verify/finding.ts';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { damagesOf } from './damages.ts';
import { fillOrganization, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { addJobs, addTeams, fillJobs, formerTeamOf, removeTeam, withJobs } from './jobs.ts';
import { removeAddedLists } from './remove-added-lists.ts';
import { firstBucket, itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { startWriters } from './writers.ts';

const table = new TableInMemory();
let organization: StoredOrganization;
let filled: FilledOrganization;

const items = itemsOf(() => ({ items: table.items, code: organization.code }));

/** Repairs the table. Gives the damaged items and the repairable kinds that it found before, and what is found after. */
async function repair() {
  const repairable = new Set<string>();
  const found = new Map<string, string>();
  const report = await verifyTable(table.access, withJobs);
  const { repaired, remaining: left } = await repairAll(table.access, undefined, withJobs);
  for (const { kind, where, repair } of [...findingsIn(report), ...repaired.map(({ finding }) => finding)]) {
    found.set(kind, `${where} ${found.get(kind) ?? ''}`);
    if (repair) repairable.add(kind);
  }
  return { repaired: repaired.length, repairable, found, left: foundIn({ findings: findingsIn(left) }) };
}

/** Kinds that have no repair, and kinds that the writers themselves repair. */
const others: ReadonlySet<string> = new Set<FindingKind>([
  'head-missing',
  'import-unfinished',
  'head-form',
  'head-malformed',
  'event-missing',
  'event-order',
  'record-id',
  'revision-in-head',
  'index-foreign',
  'grant-without-record',
  'number-without-organization',
  'reference-broken',
  'pipeline-missing',
  'queue-counter-behind',
  'unknown-item',
  'more',
  'unsettled',
]);
const { at, edit, get, head, idAt, holeItemKey, put, remove, unique } = items;

/** Kinds of damage that do not hide each other. */
const names = [
  'a record is beyond the last number',
  'a hole is missing in its bucket',
  'a bucket is malformed',
  'a unique value is not held',
  'a unique value is held for nobody',
  'a unique value is held for something else',
  'a record is in a list of another organization',
  'two members have one rank',
  'an owner lost the state of its list',
  'a grant is gone',
  'a revoked token has its grant again',
  'a grant expires later',
  'the holes of members that left the list of a record are missing',
  'a member is also a hole',
  'a bucket beyond the last one has holes',
  'the item of a state is malformed',
  'a record has another state than its list',
  'an appointment is in the search index by another time',
  'a phone number is held for no organization',
  'a lead says wrongly that its number has opted out',
  'a lead has wrong counts of its inquiries',
  'the pipeline has other counts than the events',
  'the head names a webhook that is not there',
  'a day says another time of an appointment',
  'a member counts too many open appointments',
];
async function damageAll(): Promise<void> {
  const damages = await damagesOf(items, filled);
  for (const step of names.flatMap((name) => damages[name]![0])) await step();
  await put({ ...unique('LEAD.phone', '+61491570156'), id: idAt('lead', 4) });
  await edit(at('SERVICE', 1), (service) => ({ ...service, revision: 10 ** 9 }));
  await put({ ...holeItemKey('FAQ', firstBucket), 0: 1 });
  await edit(at('FAQ', 1), (faq) => ({ ...faq, revision: 1 }));
  await edit(at('TRANSFER', 1), ({ revision, ...transfer }) => transfer);
  const former = (number: number) => holeItemKey(formerTeamOf(number), 'STATE');
  await remove(former(4));
  await edit(former(5), (item) => ({ ...item, lists: 'ann' }));
  await put({ ...former(2), lists: { 'JOB#2': '2' }, revision: 1 });
  await put({ ...holeItemKey('LEAD#000000000002#INQUIRY#2', firstBucket), 0: 1 });
  const { version } = await get(head());
  await edit(at('EVENT', version as number), (event) => ({ ...event, touched: 'ann' }));
}

/**
 * Puts an event where the next write would put its own, so that no write succeeds. A write that was under
 * way replaces the event, so the event is put again until no write comes.
 */
async function blockWrites(): Promise<void> {
  const versionOf = async () => (await get(head()))['version'] as number;
  for (;;) {
    const version = await versionOf();
    const id = version + 1;
    const event = await get(at('EVENT', 1));
    await items.add({ ...event, ...at('EVENT', id), id, revision: id });
    await table.access.system.sleep(1000);
    if ((await versionOf()) === version) return;
  }
}

async function fill(): Promise<void> {
  filled = await fillOrganization(organization);
  const before = organization.openLedger();
  for (let count = 0; count < 10; count++) await createLead(before.ledger, { name: `Old ${count}` });
  await removeAddedLists(table.items, organization.code);
  const { ledger } = organization.openLedger();
  await fillJobs(ledger);
  // Teams that are removed while a job is in their lists.
  await addTeams(ledger, 2);
  const sold = { state: 'SOLD', tag: '' };
  await addJobs(ledger, { ...sold, team: 4 }, { ...sold, team: 5 });
  for (const number of [4, 5]) await removeTeam(ledger, number);
  await addTeams(ledger, 1);
}

test('while eight writers write without pause, each kind of damage that can be repaired is repaired', async () => {
  organization = await table.found();
  await table.run(fill);
  await table.run(damageAll);
  table.beReal();
  await table.run(async () => {
    const writing = startWriters(filled, 8);
    try {
      // Limited: without it the loop would go on for ever after a writer failed.
      for (let waits = 0; waits < 500 && writing.stored() <= 24; waits++) await table.access.system.sleep(10);
      expect(writing.stored()).toBeGreaterThan(24);
      await blockWrites();
      const { repairable, found, left } = await repair();
      expect(left).toEqual([]);
      for (const kind of Object.keys(adviceByKind)) {
        const where = found.get(kind) ?? 'no record: damage one in damageAll';
        expect(repairable.has(kind), `${kind} is repaired, or among the others; found at ${where}`).toBe(
          !others.has(kind),
        );
      }
    } finally {
      await writing.end();
    }
  });
  expect(await table.run(repair)).toMatchObject({ repaired: 0, left: [] });
});
