import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { findingsIn } from '../../../infra/admin/verify/finding.ts';
import { OrganizationVerification } from '../../../infra/admin/verify/verify-organization.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { damagesOf, scannedDamagesOf, wordsOf, type Damage } from './damages.ts';
import { fillOrganization } from './filled-organization.ts';
import { followed } from './followed.ts';
import { foundIn } from './found-in.ts';
import {
  bigLists,
  changeJob,
  fillBuckets,
  fillJobs,
  removeJob,
  removeJobOfRemovedTeam,
  withJobs,
} from './jobs.ts';
import { firstBucket, itemsOf, type Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

/** Repairs an organization, or with a scan the whole table. Gives the findings before and after it. */
const repairing =
  (table: TableInMemory, { code }: StoredOrganization) =>
  async (isScan = false) => {
    const scan = isScan ? await table.run(() => verifyTable(table.access, withJobs)) : undefined;
    // A repair verifies first.
    using verified = vi.spyOn(OrganizationVerification.prototype, 'run');
    const { repaired, remaining } = await table.run(() =>
      repairAll(table.access, isScan ? undefined : code, withJobs),
    );
    const first = verified.mock.settledResults[0]!;
    if (first.type !== 'fulfilled') throw new Error('The repair verified nothing');
    const left = findingsIn(remaining);
    return {
      before: wordsOf(foundIn({ findings: scan ? findingsIn(scan) : first.value.findings }), code),
      left: wordsOf(foundIn({ findings: left }), code),
      repaired: repaired.length,
      repairable: left.filter((finding) => finding.repair),
    };
  };

const table = new TableInMemory();
const [organization, theirs] = [await table.found(), await table.found()];
const items = itemsOf(() => ({ items: table.items, code: organization.code }));
const { at, edit, eventsOf, get, head, holeItemKey, put, remove } = items;
const ledger = () => organization.openLedger().ledger;
const filled = await table.run(() => fillOrganization(organization));
await table.rest();
await table.run(() => fillJobs(ledger()));
/** Copy that a client has kept by the events until the damage. */
const copy = await table.run(() => followed(ledger()));
const image = table.image();
const damages = Object.entries(await damagesOf(items, filled));
const scanned = Object.entries(await scannedDamagesOf(items, filled, theirs));
afterEach(() => {
  image.restore();
});
const repair = repairing(table, organization);

/** Expects that verify finds only the damage, and that a repair leaves exactly the findings that it must. */
async function expectRepaired([damage, found, left = []]: Damage, isScan = false): Promise<void> {
  await table.run(async () => {
    for (const step of [damage].flat()) await step();
  });
  const result = await repair(isScan);
  expect(result.before.toSorted()).toEqual([found].flat().toSorted());
  expect(result.left.toSorted()).toEqual([left === 'all' ? found : left].flat().toSorted());
  expect(result.repaired > 0).toBe(left !== 'all');
  // A second repair would have nothing to do.
  expect(result.repairable).toEqual([]);
}

/** Damages of fields that clients see. */
const editedPast = [
  'a record has another email address than it holds',
  'a grant allows more than the role of its member',
];

describe('exactly the damage is found, and exactly what the stored items tell is repaired', () => {
  test.each(damages)('%s', async (name, damage) => {
    await expectRepaired(damage);
    // No event tells of a field that was edited past the service.
    if (damage[2] !== undefined || editedPast.includes(name)) return;
    // Events tell of each repair, so a copy that reads on equals a copy that begins anew.
    expect(await table.run(() => followed(ledger(), copy))).toEqual(
      await table.run(() => followed(ledger())),
    );
  });

  test.each(scanned)('by a scan: %s', async (_, damage) => {
    await expectRepaired(damage, true);
  });

  test('a removed record is no damage while its lists have members, nor after the last has left', async () => {
    expect(await repair(true)).toMatchObject({ before: [], left: [] });
    await table.run(() => removeJobOfRemovedTeam(ledger(), 7));
    expect(await get(holeItemKey('TEAM#000000000003', 'STATE'))).toBeUndefined();
    expect(await get(holeItemKey('TEAM#000000000003#JOB#2', firstBucket))).toBeUndefined();
    expect(await repair(true)).toMatchObject({ before: [], left: [] });
  });

  test('items of a newer version of the code are no damage', async () => {
    const kept = { lists: { 'JOB#2': '2' }, revision: 1 };
    await put({ ...holeItemKey('OFFER#000000000001', 'STATE'), ...kept });
    await items.restate(head(), 'OFFER', '1-1~AQ');
    await put({ ...holeItemKey('OFFER', firstBucket), 0: 1 });
    expect(await repair(true)).toMatchObject({ before: [], left: [] });
  });

  test('a lost hash key stays a finding: no lead can get a phone number meanwhile', async () => {
    await edit(head(), ({ hashKey, ...rest }) => rest);
    const adding = () => createLead(ledger(), { firstName: 'Ed', phone: '+61491570151' });
    await expect(table.run(adding)).rejects.toThrow('hashKey');
  });

  test('the event of a repair says which records it stored, and which show one of them', async () => {
    await edit(at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: ',1' }));
    await edit(at('SCENARIO', 1), ({ revision, ...scenario }) => scenario);
    await remove(items.unique('LEAD.email', 'ann@example.com'));
    await repair();
    const numbers = await eventsOf('ORGANIZATION_REPAIRED');
    const events = await Promise.all(numbers.map((number) => get(at('EVENT', number))));
    expect(events.map(({ touched }) => touched)).toEqual(['SCENARIO#1', '', 'PIPELINE#1']);
    expect(events.map(({ shown }) => shown)).toEqual(['SERVICE#1', undefined, undefined]);
  });
});

test('lists that were emptied are no damage', async () => {
  await table.run(async () => {
    for (let number = 1; number <= 6; number++) await removeJob(ledger(), number);
  });
  expect(await repair()).toMatchObject({ before: [], left: [] });
});

test('a list lacks no member that queries show at its former rank', async () => {
  await table.run(() => changeJob(ledger(), 2, { state: 'DONE' }));
  const old = marshall(await get(at('JOB', 2)));
  await table.run(() => changeJob(ledger(), 2, { state: 'OPEN', team: 2, tag: '' }));
  const stale = table.newAccess();
  // All queries of jobs show an old state of job 2.
  stale.client.middlewareStack.add(
    (next) => async (args) => {
      const isOfJobs = JSON.stringify(args.input).includes(`":pk":{"S":"${items.partitionOf('JOB')}"}`);
      const result = await next(args);
      const { output } = result;
      if (isOfJobs && 'Items' in output)
        output.Items = output.Items?.map((item) => (item['sk']?.S === old['sk']?.S ? old : item));
      return result;
    },
    { step: 'initialize' },
  );
  const found = async () =>
    foundIn(await table.run(() => verifyOrganization(stale, organization.code, withJobs)));
  expect(await found()).toEqual([]);
  await items.restate(at('TEAM', 2), 'JOB#2', '4');
  expect(await found()).toEqual([['list-wrong', 'the list JOB#2 of team 2']]);
});

describe('repaired lists', () => {
  const positionsOf = async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const all = await Promise.all(numbers.map((number) => get(at('JOB', number))));
    return all.map((job) => [1, 2, 3].flatMap((index) => [job[`gsi${index}pk`], job[`gsi${index}sk`]]));
  };

  test('records that all lost their positions get the same ranks back', async () => {
    // Given back in the order of the jobs' numbers. Job 1 joined team 2 after job 5, so it keeps its place
    // here.
    const before = await positionsOf();
    for (const number of [2, 3, 5, 6])
      await edit(at('JOB', number), ({ gsi1pk, gsi1sk, gsi2pk, gsi2sk, ...job }) => job);
    expect(await repair()).toMatchObject({ left: [] });
    expect(await positionsOf()).toEqual(before);
  });

  const ranksOf = async (...numbers: number[]) =>
    Promise.all(numbers.map(async (number) => (await get(at('JOB', number)))['gsi1sk']));

  test('a member with a rank far beyond all others gets the next rank', async () => {
    await edit(at('JOB', 5), (job) => ({ ...job, gsi1sk: 8 }));
    await edit(at('JOB', 6), (job) => ({ ...job, gsi1sk: 20_000 }));
    expect(await repair()).toMatchObject({ left: [] });
    expect(await ranksOf(5, 6)).toEqual([8, 9]);
  });

  test.each([3, 1000])('a misplaced record at rank %i leaves the list as it was', async (rank) => {
    const before = await positionsOf();
    const { lists } = await get(head());
    const { gsi1pk } = await get(at('JOB', 3));
    await edit(at('JOB', 1), (job) => ({ ...job, gsi1pk, gsi1sk: rank }));
    expect(await repair()).toMatchObject({ before: ['position-wrong job 1'], left: [] });
    expect(await positionsOf()).toEqual(before);
    expect((await get(head()))['lists']).toEqual(lists);
  });

  test('the rank of a lost record is kept for it', async () => {
    const lost = await get(at('JOB', 3));
    await remove(at('JOB', 3));
    await edit(at('JOB', 5), ({ gsi1pk, gsi1sk, ...job }) => job);
    expect((await repair()).left).toEqual(['record-missing job 3']);
    expect(await ranksOf(5)).toEqual([8]);
    await put(lost);
    expect((await repair()).left).toEqual([]);
    expect(await ranksOf(3, 5)).toEqual([3, 8]);
  });

  test('a list state is rebuilt, with the members that left', async () => {
    const { lists } = await get(at('TEAM', 1));
    await edit(at('TEAM', 1), (team) => ({ ...team, lists: { 'JOB#2': 'x', 'V#2': null } }));
    expect(await repair()).toMatchObject({ left: [] });
    // The member of the last rank, 4, had left. The rebuilt state says so.
    expect((await get(at('TEAM', 1)))['lists']).toEqual(lists);
  });
});

describe('lists of more than one bucket', () => {
  const big = new TableInMemory();
  let owner: StoredOrganization;
  let whole: { restore: () => void };
  const stored = itemsOf(() => ({ items: big.items, code: owner.code }));
  const keyOf = stored.holeItemKey;
  const second = '000000000001';
  beforeAll(async () => {
    owner = await big.found();
    await big.run(() => fillBuckets(owner.openLedger().ledger));
    await big.rest();
    await big.run(() => changeJob(owner.openLedger().ledger, 1, {}));
    whole = big.image();
  });
  afterEach(() => {
    whole.restore();
  });
  const repairBig = () => repairing(big, owner)();
  const found = async () =>
    foundIn(await big.run(() => verifyOrganization(big.access, owner.code, withJobs))).sort();

  test('are whole', async () => {
    expect(await found()).toEqual([]);
    expect(await stored.get(keyOf('JOB#1#OPEN', 'COUNTS'))).toMatchObject({ left: 6, 0: 3 + 3 * 2 ** 13 });
  });

  const word = (counts: Attributes) => counts['0'] as number;
  const names = ['JOB', 'JOB#1#OPEN', 'JOB#2 of team 1'];
  const wrong = names.map((name) => ['list-wrong', `the list ${name}`]);
  type Change = ((counts: Attributes) => Attributes) | undefined;
  const oneLess: Change = (counts) => ({ ...counts, left: (counts['left'] as number) - 1 });
  const oneMore: Change = (counts) => ({ ...counts, 0: word(counts) + 2 ** 13 });
  const strangeBucket: Change = (counts) => ({ ...counts, 0: word(counts) + 2 ** 26 });
  test.each<[string, Change[]]>([
    ['no counts, one hole less, or one hole more in a bucket', [undefined, oneLess, oneMore]],
    [
      'a bucket that is not there, or no number',
      [strangeBucket, strangeBucket, (counts) => ({ ...counts, 0: 'ann' })],
    ],
  ])('with counts that have %s are found', async (_, changes) => {
    for (const [at, change] of changes.entries()) {
      const key = keyOf(bigLists[at]!, 'COUNTS');
      await (change ? stored.edit(key, change) : stored.remove(key));
    }
    expect(await found()).toEqual(wrong);
  });

  test('without their second bucket are found', async () => {
    for (const list of bigLists) await stored.remove(keyOf(list, second));
    expect(await found()).toEqual([...wrong, ['record-missing', 'job 4098']]);
  });

  test('are repaired when all their hole items are gone', async () => {
    // The collection keeps its counts: without them nothing tells which numbers were deleted.
    const keys = bigLists.flatMap((list) =>
      [...(list === 'JOB' ? [] : ['COUNTS']), firstBucket, second].map((sk) => keyOf(list, sk)),
    );
    const before = await Promise.all(keys.map(stored.get));
    await Promise.all(keys.map(stored.remove));
    await stored.edit(stored.at('TEAM', 1), ({ lists, ...team }) => team);
    expect((await repairBig()).left).toEqual([]);
    expect(await Promise.all(keys.map(stored.get))).toEqual(before);
  });

  test('lose a wrong hole that is older than the window of their state', async () => {
    const bucket = keyOf('JOB', firstBucket);
    const before = await stored.get(bucket);
    await stored.edit(bucket, (holes) => ({ ...holes, 0: (holes[0] as number) + 2 ** 9 }));
    const { lists } = await stored.get(stored.head());
    expect(await repairBig()).toMatchObject({ left: [] });
    expect(await stored.get(bucket)).toEqual(before);
    expect((await stored.get(stored.head()))['lists']).toEqual(lists);
  });
});
