import { beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { findingsIn } from '../../../infra/admin/verify/finding.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { foundIn } from './found-in.ts';
import { changeJob, fillJobs, fillMovingJobs, removeJob, whileMoving, withJobs } from './jobs.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

describe('lists that records join and leave', () => {
  const table = new TableInMemory();
  let organization: StoredOrganization;
  let image: { restore: () => void };
  const { at, get, partitionOf, restate } = itemsOf(() => ({
    items: table.items,
    code: organization.code,
  }));
  const ledger = () => organization.openLedger().ledger;
  const verify = (access = table.access) =>
    table.run(() => verifyOrganization(access, organization.code, withJobs));
  const foundInJobs = async () => foundIn(await verify());
  beforeAll(async () => {
    organization = await table.found();
    await table.run(() => fillJobs(ledger()));
    image = table.image();
  });
  afterEach(() => {
    image.restore();
  });

  test('are whole when they were emptied', async () => {
    await table.run(async () => {
      for (let number = 1; number <= 6; number++) await removeJob(ledger(), number);
    });
    expect(await foundInJobs()).toEqual([]);
  });

  describe('lack no member', () => {
    const stale = table.newAccess();
    let old: Record<string, AttributeValue>;
    // All queries of jobs show an old state of job 2.
    stale.client.middlewareStack.add(
      (next) => async (args) => {
        const isOfJobs = JSON.stringify(args.input).includes(`":pk":{"S":"${partitionOf('JOB')}"}`);
        const result = await next(args);
        const { output } = result;
        if (isOfJobs && 'Items' in output)
          output.Items = output.Items?.map((item) => (item['sk']?.S === old['sk']?.S ? old : item));
        return result;
      },
      { step: 'initialize' },
    );
    beforeEach(async () => {
      await table.run(() => changeJob(ledger(), 2, { state: 'DONE' }));
      old = marshall(await get(at('JOB', 2)));
      await table.run(() => changeJob(ledger(), 2, { state: 'OPEN', team: 2, tag: '' }));
    });
    const foundStale = async () => foundIn(await verify(stale));

    test('that queries show at its former rank', async () => {
      expect(await foundStale()).toEqual([]);
      await restate(at('TEAM', 2), 'JOB#2', '4');
      expect(await foundStale()).toEqual([['list-wrong', 'the list JOB#2 of team 2']]);
    });
  });
});

describe('while twenty writers let records join and leave lists', () => {
  let table: TableInMemory;
  let busy: StoredOrganization;
  beforeEach(async () => {
    table = new TableInMemory();
    busy = await table.found();
    await table.run(() => fillMovingJobs(busy.openLedger().ledger));
    table.beReal();
  });
  const { get, head } = itemsOf(() => ({ items: table.items, code: busy.code }));
  const verify = () => verifyOrganization(table.access, busy.code, withJobs);

  test('undamaged lists have no finding', async () => {
    const versions = new Set<number>();
    await table.run(() =>
      whileMoving(busy, async () => {
        // Limited: without it the loop would go on for ever after a writer failed.
        for (let run = 0; run < 200 && versions.size <= 2; run++) {
          const report = await verifyTable(table.access, withJobs);
          expect(findingsIn(report)).toEqual([]);
          versions.add(report.organizations[0]!.version!);
        }
      }),
    );
    expect(versions.size).toBeGreaterThan(2);
    // The writers removed teams, some before their last jobs.
    const { lists } = (await get(head())) as { lists: Record<string, string> };
    expect([lists['TEAM'], lists['JOB#1#KEPT']]).toEqual(
      [1, 2].map(() => expect.stringMatching(/-/) as string),
    );
    expect((await table.run(verify)).findings).toEqual([]);
  });
});
