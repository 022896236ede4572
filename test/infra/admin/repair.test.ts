import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findingKinds, type FindingKind } from '../../../infra/admin/verify/finding.ts';
import { RepairLedger } from '../../../infra/admin/repair/repair-ledger.ts';
import { isMendable, repairAll } from '../../../infra/admin/repair/repair-table.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { engine, newOrganization, newPlainTable, type TestOrganization } from '../../support/world.ts';
import { damagesOf, type Damage } from './damages.ts';
import { newFilledOrganization, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { jobDamagesOf } from './job-damages.ts';
import { bigLists, fillBuckets, fillJobs, withJobs } from './jobs.ts';
import { storeAsBefore } from './stored-before.ts';
import { firstBucket, storedItems } from './stored-items.ts';
import { imageOf } from './table-image.ts';
import { startWriters } from './writers.ts';

const client = clientOf(engine);
let tableName: string;
let organization: TestOrganization;
let filled: FilledOrganization;
let image: Awaited<ReturnType<typeof imageOf>>;
afterAll(() => {
  client.destroy();
});

const items = storedItems(client, () => ({ tableName, code: organization.code }));

/** Repairs the organization: what was repaired and what could be, and what is found after that. */
async function repair(options?: typeof withJobs) {
  const access = { client, tableName, system: realSystem };
  const mendable = new Set<FindingKind>();
  const { repaired, left } = await repairAll(access, async () => {
    const report = await verifyOrganization(access, organization.code, options);
    for (const { kind, mend } of report.findings) if (mend) mendable.add(kind);
    return { organizations: [report], strays: [] };
  });
  const { findings } = left.organizations[0]!;
  return { repaired: repaired.length, mendable, left: foundIn({ findings }), findings };
}

/** Each damage is repaired as far as it follows from the records, and a second repair has nothing to do. */
async function expectRepaired([, damage, expected, left]: Damage, options?: typeof withJobs): Promise<void> {
  await damage();
  const first = await repair(options);
  expect(first.left).toEqual(left === 'all' ? expected() : (left?.() ?? []));
  expect(first.findings.filter(({ mend }) => mend)).toEqual([]);
  expect(first.repaired > 0).toBe(left !== 'all');
  const second = await repair(options);
  expect(second).toMatchObject({ repaired: 0, left: first.left });
}

describe('what follows from the records is repaired, and the rest is left', () => {
  beforeAll(async () => {
    tableName = await newPlainTable();
    filled = await newFilledOrganization(tableName);
    ({ organization } = filled);
    image = await imageOf(client, tableName);
  });
  afterEach(() => image.restore());

  test.each(damagesOf(items, () => filled))('%s', async (...damage) => {
    await expectRepaired(damage);
  });

  test('the head has the new revision of a record that is repaired', async () => {
    await items.edit(items.at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: ',1' }));
    expect(await repair()).toMatchObject({ repaired: 1, left: [] });
  });
});

describe('the same of lists that records join and leave', () => {
  beforeAll(async () => {
    tableName = await newPlainTable();
    organization = await newOrganization('AU', tableName);
    await fillJobs(organization.openLedger().ledger);
    image = await imageOf(client, tableName);
  });
  afterEach(() => image.restore());

  test.each(jobDamagesOf(items))('%s', async (...damage) => {
    await expectRepaired(damage, withJobs);
  });

  const placesOf = async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const all = await Promise.all(numbers.map((number) => items.get(items.at('JOB', number))));
    return all.map((job) => [1, 2, 3].flatMap((index) => [job[`gsi${index}pk`], job[`gsi${index}sk`]]));
  };

  test('records that were all taken from their lists get back the ranks that they had', async () => {
    // Those of whom another joined later, by number, are in another order: job 1 joined team 2 after job 5.
    const before = await placesOf();
    for (const number of [2, 3, 5, 6])
      await items.edit(items.at('JOB', number), ({ gsi1pk, gsi1sk, gsi2pk, gsi2sk, ...job }) => job);
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await placesOf()).toEqual(before);
  });

  /** Stores the mends of one kind, in one transaction: those that follow it may never come. */
  async function mendOnce(kind: FindingKind) {
    const access = { client, tableName, system: realSystem };
    const before = await verifyOrganization(access, organization.code, withJobs);
    const findings = before.findings.filter(isMendable).filter((one) => one.kind === kind);
    await new RepairLedger(access, organization.code).repair(findings);
    return foundIn(await verifyOrganization(access, organization.code, withJobs));
  }
  const ranksOf = async (...numbers: number[]) =>
    Promise.all(numbers.map(async (number) => (await items.get(items.at('JOB', number)))['gsi1sk']));

  test('a member whose rank is far after all others gets one that nobody has', async () => {
    await items.edit(items.at('JOB', 5), (job) => ({ ...job, gsi1sk: 8 }));
    await items.edit(items.at('JOB', 6), (job) => ({ ...job, gsi1sk: 20_000 }));
    expect(await mendOnce('rank-beyond')).toEqual([['rank-missing', 'the list JOB#1#OPEN']]);
    expect(await ranksOf(5, 6)).toEqual([8, 9]);
  });

  test.each([3, 1000])('a record at rank %i that belongs elsewhere changes nothing there', async (rank) => {
    const before = await placesOf();
    const { lists } = await items.get(items.head());
    const { gsi1pk } = await items.get(items.at('JOB', 3));
    await items.edit(items.at('JOB', 1), (job) => ({ ...job, gsi1pk, gsi1sk: rank }));
    expect(await mendOnce('place-wrong')).toEqual([]);
    expect(await placesOf()).toEqual(before);
    expect((await items.get(items.head()))['lists']).toEqual(lists);
  });

  test('the rank of a record that is lost is kept for it', async () => {
    const lost = await items.get(items.at('JOB', 3));
    await items.remove(items.at('JOB', 3));
    await items.edit(items.at('JOB', 5), ({ gsi1pk, gsi1sk, ...job }) => job);
    expect((await repair(withJobs)).left).toEqual([['record-missing', 'job 3']]);
    expect(await ranksOf(5)).toEqual([8]);
    await items.put(lost);
    expect((await repair(withJobs)).left).toEqual([]);
    expect(await ranksOf(3, 5)).toEqual([3, 8]);
  });

  test('a state is made anew, with those that have left', async () => {
    const { lists } = await items.get(items.at('TEAM', 1));
    await items.edit(items.at('TEAM', 1), (team) => ({ ...team, lists: { 'JOB#2': 'x', 'EVENT#2': null } }));
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    // The last one, whose rank was 4, had left: it is noted as such.
    expect((await items.get(items.at('TEAM', 1)))['lists']).toEqual(lists);
  });
});

describe('lists of more than one bucket', () => {
  beforeAll(async () => {
    tableName = await newPlainTable();
    organization = await newOrganization('AU', tableName);
    await fillBuckets(organization.openLedger().ledger);
  }, 120_000);

  test('are made anew where all that is noted of them is gone', async () => {
    // Of the collection there must be the counts: without them, nobody knows which numbers were deleted.
    const keys = bigLists.flatMap((list) =>
      [...(list === 'JOB' ? [] : ['COUNTS']), firstBucket, '000000000001'].map((sk) =>
        items.notesOf(list, sk),
      ),
    );
    const before = await Promise.all(keys.map(items.get));
    await Promise.all(keys.map(items.remove));
    await items.edit(items.at('TEAM', 1), ({ lists, ...team }) => team);
    expect((await repair(withJobs)).left).toEqual([]);
    expect(await Promise.all(keys.map(items.get))).toEqual(before);
  });

  test('a record is noted as deleted that is older than those that the state tells of', async () => {
    const bucket = items.notesOf('JOB', firstBucket);
    const before = await items.get(bucket);
    await items.edit(bucket, (holes) => ({ ...holes, 0: (holes[0] as number) + 2 ** 9 }));
    const { lists } = await items.get(items.head());
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await items.get(bucket)).toEqual(before);
    expect((await items.get(items.head()))['lists']).toEqual(lists);
  });
});

describe('while eight writers write without pause', () => {
  /** What is never repaired; and what writers put right themselves. */
  const others: readonly FindingKind[] = [
    'head-missing',
    'head-form',
    'head-malformed',
    'event-missing',
    'event-order',
    'record-id',
    'revision-in-head',
    'grant-of-nobody',
    'reference-broken',
    'pipeline-missing',
    'turn-behind',
    'unknown-item',
    'more',
    'unsettled',
  ];
  const { at, edit, get, head, idAt, notesOf, put, unique } = items;

  /** Damages that do not hide each other. */
  const names = [
    'a record is beyond the last number',
    'an offset is not among the holes',
    'a bucket cannot be read',
    'a unique value is not held',
    'a unique value is held for nobody',
    'a unique value is held for something else',
    'a record is in a list of another organization',
    'a rank is there twice',
    'an owner counts none',
    'a grant is gone',
    'a revoked token has its grant again',
    'a grant lives longer',
    'nothing notes that members left a list of a record',
    'a member has left as well',
    'holes are noted of a bucket that there is not',
    'the item of a state cannot be read',
    'a record has another state than its list',
    'a lead is found by another name',
    'a lead counts its inquiries otherwise than they are',
  ];
  async function damageAll(): Promise<void> {
    const damages = new Map(
      [...damagesOf(items, () => filled), ...jobDamagesOf(items)].map(([name, damage]) => [name, damage]),
    );
    for (const name of names) await damages.get(name)!();
    await put({ ...unique('LEAD.phone', '+61491570156'), id: idAt('lead', 4) });
    await edit(at('SERVICE', 1), (service) => ({ ...service, revision: 10 ** 9 }));
    await put({ ...notesOf('FAQ', firstBucket), 0: 1 });
    await edit(at('FAQ', 1), (faq) => ({ ...faq, revision: 1 }));
    await edit(at('TRANSFER', 1), ({ revision, ...transfer }) => transfer);
  }

  /** Puts an event where the next write would have its own: nothing can be written any more. */
  async function blockWrites(): Promise<void> {
    for (;;) {
      const id = ((await get(head()))['version'] as number) + 1;
      const event = await get(at('EVENT', 1));
      const Item = { ...event, ...at('EVENT', id), id, revision: id };
      const isPut = await items.add(Item);
      if (isPut) return;
    }
  }

  test('each kind of damage that follows from the records is repaired', async () => {
    tableName = await newPlainTable();
    filled = await newFilledOrganization(tableName);
    ({ organization } = filled);
    const { ledger } = organization.openLedger();
    await fillJobs(ledger);
    for (let count = 0; count < 10; count++) await createLead(ledger, { name: `Old ${count}` });
    await storeAsBefore(client, tableName, organization.code);
    await damageAll();
    const writing = startWriters(filled, 8);
    try {
      await vi.waitUntil(() => writing.stored() > 24, 30_000);
      await blockWrites();
      const { mendable, left } = await repair(withJobs);
      expect(left).toEqual([]);
      expect(findingKinds.filter((kind) => !mendable.has(kind))).toEqual(others);
    } finally {
      await writing.end();
    }
    expect(await repair(withJobs)).toMatchObject({ repaired: 0, left: [] });
  });
});
