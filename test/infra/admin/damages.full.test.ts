import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { damagesOf, type Damage, type Found } from './damages.ts';
import { fillOrganization, type FilledOrganization } from './filled-organization.ts';
import { followed, type Copy } from './followed.ts';
import { foundIn } from './found-in.ts';
import { jobDamagesOf } from './job-damages.ts';
import { bigLists, fillBuckets, fillJobs, withJobs } from './jobs.ts';
import { firstBucket, itemsOf, type Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

let table: TableInMemory;
let organization: StoredOrganization;
let image: { restore: () => void };

const items = itemsOf(
  () => table.items,
  () => organization.code,
);

async function setUp(fill: () => Promise<unknown>): Promise<void> {
  table = new TableInMemory();
  organization = await table.found();
  await table.run(fill);
  image = table.image();
}

const verify = (options?: typeof withJobs) => verifyOrganization(table.access, organization.code, options);

/**
 * Repairs the organization. Gives the findings before, the number of repaired findings, and the findings
 * left.
 */
async function repair(options?: typeof withJobs) {
  const before = foundIn(await table.run(() => verify(options)));
  const { repaired, remaining } = await table.run(() => repairAll(table.access, organization.code, options));
  const { findings } = remaining.organizations[0]!;
  return { before, repaired: repaired.length, left: foundIn({ findings }), findings };
}

const byKind = (found: Found) => found.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)));

/** Expects that verify finds the damage and nothing else, and that a repair leaves exactly what it must. */
async function expectRepaired([, damage, expected, left]: Damage, options?: typeof withJobs): Promise<void> {
  await table.run(damage);
  const repairing = await repair(options);
  const before = expected();
  expect(byKind(repairing.before)).toEqual(byKind(before));
  expect(repairing.left).toEqual(left === 'all' ? repairing.before : (left?.() ?? []));
  expect(repairing.repaired > 0).toBe(left !== 'all');
  // A second repair would have nothing to do.
  expect(repairing.findings.filter(({ repair }) => repair)).toEqual([]);
}

describe('exactly the damage is found, and exactly what the stored items tell is repaired', () => {
  let filled: FilledOrganization;
  /** Copy that a client has kept by the events until the damage. */
  let copy: Copy;
  beforeAll(() =>
    setUp(async () => {
      filled = await fillOrganization(organization);
      copy = await followed(organization.openLedger().ledger);
    }),
  );
  afterEach(() => {
    image.restore();
  });

  test.each(damagesOf(items, () => filled))('%s', async (...damage) => {
    await expectRepaired(damage);
    const [name, , , left] = damage;
    // No event tells of a field that was edited past the service.
    if (left !== undefined || name === 'a record has another email address than it holds') return;
    // Events tell of what was repaired: a copy that reads on is one that begins anew.
    const { ledger } = organization.openLedger();
    expect(await table.run(() => followed(ledger, copy))).toEqual(await table.run(() => followed(ledger)));
  });

  test('a lost hash key stays a finding: no lead can get a phone number meanwhile', async () => {
    await items.edit(items.head(), ({ hashKey, ...head }) => head);
    const adding = () =>
      createLead(organization.openLedger().ledger, { firstName: 'Ed', phone: '+61491570151' });
    await expect(table.run(adding)).rejects.toThrow('hashKey');
    expect(await repair()).toMatchObject({ repaired: 0, left: [['head-malformed', items.headName()]] });
  });

  test('the head gets the new revision of a repaired record', async () => {
    await items.edit(items.at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: ',1' }));
    expect(await repair()).toMatchObject({ repaired: 1, left: [] });
  });

  test('the event of a repair says which records it stored, and which show one of them', async () => {
    await items.edit(items.at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: ',1' }));
    await items.edit(items.at('SCENARIO', 1), ({ revision, ...scenario }) => scenario);
    await items.remove(items.unique('LEAD.email', 'ann@example.com'));
    await repair();
    const numbers = await items.eventsOf('ORGANIZATION_REPAIRED');
    const events = await Promise.all(numbers.map((number) => items.get(items.at('EVENT', number))));
    expect(events.map(({ touched }) => touched)).toEqual(['SCENARIO#1', '', 'PIPELINE#1']);
    expect(events.map(({ shown }) => shown)).toEqual(['SERVICE#1', undefined, undefined]);
  });
});

describe('exactly the damage to lists is found and repaired', () => {
  beforeAll(() => setUp(() => fillJobs(organization.openLedger().ledger)));
  afterEach(() => {
    image.restore();
  });

  test.each(jobDamagesOf(items))('%s', async (...damage) => {
    await expectRepaired(damage, withJobs);
  });

  const positionsOf = async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const all = await Promise.all(numbers.map((number) => items.get(items.at('JOB', number))));
    return all.map((job) => [1, 2, 3].flatMap((index) => [job[`gsi${index}pk`], job[`gsi${index}sk`]]));
  };

  test('records that all lost their positions get the same ranks back', async () => {
    // Given back in the order of the jobs' numbers. Job 1 joined team 2 after job 5, so it keeps its place
    // here.
    const before = await positionsOf();
    for (const number of [2, 3, 5, 6])
      await items.edit(items.at('JOB', number), ({ gsi1pk, gsi1sk, gsi2pk, gsi2sk, ...job }) => job);
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await positionsOf()).toEqual(before);
  });

  const ranksOf = async (...numbers: number[]) =>
    Promise.all(numbers.map(async (number) => (await items.get(items.at('JOB', number)))['gsi1sk']));

  test('a member with a rank far beyond all others gets the next rank', async () => {
    await items.edit(items.at('JOB', 5), (job) => ({ ...job, gsi1sk: 8 }));
    await items.edit(items.at('JOB', 6), (job) => ({ ...job, gsi1sk: 20_000 }));
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await ranksOf(5, 6)).toEqual([8, 9]);
  });

  test.each([3, 1000])('a misplaced record at rank %i leaves the list as it was', async (rank) => {
    const before = await positionsOf();
    const { lists } = await items.get(items.head());
    const { gsi1pk } = await items.get(items.at('JOB', 3));
    await items.edit(items.at('JOB', 1), (job) => ({ ...job, gsi1pk, gsi1sk: rank }));
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await positionsOf()).toEqual(before);
    expect((await items.get(items.head()))['lists']).toEqual(lists);
  });

  test('the rank of a lost record is kept for it', async () => {
    const lost = await items.get(items.at('JOB', 3));
    await items.remove(items.at('JOB', 3));
    await items.edit(items.at('JOB', 5), ({ gsi1pk, gsi1sk, ...job }) => job);
    expect((await repair(withJobs)).left).toEqual([['record-missing', 'job 3']]);
    expect(await ranksOf(5)).toEqual([8]);
    await items.put(lost);
    expect((await repair(withJobs)).left).toEqual([]);
    expect(await ranksOf(3, 5)).toEqual([3, 8]);
  });

  test('a list state is rebuilt, with the members that left', async () => {
    const { lists } = await items.get(items.at('TEAM', 1));
    await items.edit(items.at('TEAM', 1), (team) => ({ ...team, lists: { 'JOB#2': 'x', 'EVENT#2': null } }));
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    // The member of the last rank, 4, had left. The rebuilt state says so.
    expect((await items.get(items.at('TEAM', 1)))['lists']).toEqual(lists);
  });
});

describe('lists of more than one bucket', () => {
  beforeAll(() => setUp(() => fillBuckets(organization.openLedger().ledger)));
  afterEach(() => {
    image.restore();
  });
  const foundInJobs = async () => foundIn(await table.run(() => verify(withJobs)));

  test('are whole', async () => {
    expect(await foundInJobs()).toEqual([]);
    expect(await items.get(items.holeItemKey('JOB#1#OPEN', 'COUNTS'))).toMatchObject({
      left: 6,
      0: 3 + 3 * 2 ** 13,
    });
  });

  test('damage to their hole items is found', async () => {
    const kept = new Map<string, Attributes>();
    for (const list of bigLists) {
      for (const sk of ['COUNTS', '000000000001'])
        kept.set(`${list} ${sk}`, await items.get(items.holeItemKey(list, sk)));
    }
    const keptAt = (list: string, sk: string) => kept.get(`${list} ${sk}`)!;
    /** Findings after the same damage to the hole items of each list. */
    const foundWith = async (damage: (counts: Attributes, list: string) => Promise<unknown>) => {
      for (const list of bigLists) await damage(keptAt(list, 'COUNTS'), list);
      const all = await foundInJobs();
      for (const item of kept.values()) await items.put(item);
      return all.sort();
    };
    const word = (counts: Attributes) => counts['0'] as number;
    const wrong = bigLists.map((_, at) => [
      'list-wrong',
      ['the list JOB', 'the list JOB#1#OPEN', 'the list JOB#2 of team 1'][at],
    ]);
    const damages: ((counts: Attributes, list: string) => Promise<unknown>)[] = [
      (_, list) => items.remove(items.holeItemKey(list, 'COUNTS')),
      (counts) => items.put({ ...counts, left: (counts['left'] as number) - 1 }),
      (counts) => items.put({ ...counts, 0: word(counts) + 2 ** 13 }),
      (counts) => items.put({ ...counts, 0: word(counts) + 2 ** 26 }),
      (counts) => items.put({ ...counts, 0: 'ann' }),
    ];
    for (const damage of damages) expect(await foundWith(damage)).toEqual(wrong);
    const withoutBucket = await foundWith((_, list) => items.remove(items.holeItemKey(list, '000000000001')));
    expect(withoutBucket).toEqual([...wrong, ['record-missing', 'job 4098']]);
    expect(await foundInJobs()).toEqual([]);
  });

  test('are repaired when all their hole items are gone', async () => {
    // The collection keeps its counts: without them nothing tells which numbers were deleted.
    const keys = bigLists.flatMap((list) =>
      [...(list === 'JOB' ? [] : ['COUNTS']), firstBucket, '000000000001'].map((sk) =>
        items.holeItemKey(list, sk),
      ),
    );
    const before = await Promise.all(keys.map(items.get));
    await Promise.all(keys.map(items.remove));
    await items.edit(items.at('TEAM', 1), ({ lists, ...team }) => team);
    expect((await repair(withJobs)).left).toEqual([]);
    expect(await Promise.all(keys.map(items.get))).toEqual(before);
  });

  test('lose a wrong hole that is older than the window of their state', async () => {
    const bucket = items.holeItemKey('JOB', firstBucket);
    const before = await items.get(bucket);
    await items.edit(bucket, (holes) => ({ ...holes, 0: (holes[0] as number) + 2 ** 9 }));
    const { lists } = await items.get(items.head());
    expect(await repair(withJobs)).toMatchObject({ left: [] });
    expect(await items.get(bucket)).toEqual(before);
    expect((await items.get(items.head()))['lists']).toEqual(lists);
  });
});
