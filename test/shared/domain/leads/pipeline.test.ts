import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../../../../infra/local/engine.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../../shared/domain/leads/list-leads.ts';
import { getPipeline } from '../../../../shared/domain/leads/pipeline.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { foundOrganization } from '../../../../shared/domain/organizations/found-organization.ts';
import { updateOrganization } from '../../../../shared/domain/organizations/organizations.ts';
import { newConsumedCapacity } from '../../../../shared/ledger/index.ts';
import { engine, newOrganization, newPlainTable, newStore } from '../../../support/test-organization.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** An organization with its own clock, which shows one o'clock in the afternoon of 22 November in Sydney. */
async function withClock(country = 'AU', timeZone?: string) {
  const clock = { now: Date.parse('2026-11-22T02:00:00.000Z') };
  const store = newStore({ now: () => clock.now });
  const limits = () => ({ deadline: clock.now + 60_000, capacity: newConsumedCapacity() });
  const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const input = { name: 'Test', country, owner, timeZone };
  const { code, ownerId } = await foundOrganization(store, limits(), input, Math.random, () => ({}));
  const open = () => store.ledgerOf({ organization: code, userId: ownerId, ...limits() });
  const allDays = async () => (await getPipeline(open(), clock.now)).days;
  /** Days with counts. */
  const days = async () =>
    (await allDays()).flatMap(({ date, created, moved }) => {
      const counts = [
        ...(created > 0 ? [`${created} created`] : []),
        ...Object.entries(moved).flatMap(([to, count]) => (count > 0 ? [`${count} ${to}`] : [])),
      ];
      return counts.length > 0 ? [`${date}: ${counts.join(', ')}`] : [];
    });
  const today = async () => (await allDays())[0]!.date;
  return { clock, open, days, today };
}

describe('a day of the pipeline', () => {
  test("begins at midnight of the organization's time zone, and is kept for 31 days", async () => {
    const { clock, open, days, today } = await withClock();
    expect(await today()).toBe('2026-11-22');
    const { id } = await createLead(open(), { firstName: 'Ann' });
    clock.now += 11 * hour - 1;
    await updateLead(open(), id, { status: 'won' });
    clock.now += 1;
    await updateLead(open(), id, { status: 'lost' });
    expect(await days()).toEqual(['2026-11-23: 1 lost', '2026-11-22: 1 created, 1 won']);

    clock.now += 29 * day;
    expect(await today()).toBe('2026-12-22');
    expect(await days()).toEqual(['2026-11-23: 1 lost', '2026-11-22: 1 created, 1 won']);
    clock.now += day;
    expect(await days()).toEqual(['2026-11-23: 1 lost']);
    await createLead(open(), { firstName: 'Bo' });
    await deleteLead(open(), id);
    expect(await days()).toEqual(['2026-12-23: 1 created', '2026-11-23: 1 lost']);
    clock.now += 31 * day;
    expect(await days()).toEqual([]);
  });

  test('stays as it was counted when the time zone changes, also where today becomes yesterday', async () => {
    const { clock, open, days, today } = await withClock();
    await createLead(open(), { firstName: 'Ann' });
    await updateOrganization(open(), { timeZone: 'America/Los_Angeles' });
    expect(await days()).toEqual(['2026-11-22: 1 created']);
    await createLead(open(), { firstName: 'Bo', status: 'won' });
    expect(await days()).toEqual(['2026-11-22: 1 created', '2026-11-21: 1 created']);

    clock.now += 5 * hour;
    expect(await today()).toBe('2026-11-22');
    clock.now += hour;
    await createLead(open(), { firstName: 'Cy' });
    expect(await days()).toEqual(['2026-11-22: 2 created', '2026-11-21: 1 created']);
    await updateOrganization(open(), { timeZone: 'Pacific/Auckland' });
    expect(await today()).toBe('2026-11-22');
    clock.now += 3 * hour;
    expect(await today()).toBe('2026-11-23');
  });

  test("is in the country's usual time zone, or in the one that was given", async () => {
    expect(await (await withClock('US')).today()).toBe('2026-11-21');
    expect(await (await withClock('US', 'Asia/Tokyo')).today()).toBe('2026-11-22');
  });
});

test('nothing is stored while the pipeline cannot be read', async () => {
  const tableName = await newPlainTable();
  const organization = await newOrganization({ tableName: tableName });
  const open = () => organization.openLedger().ledger;
  const { id } = await createLead(open(), { firstName: 'Ann' });
  const client = clientOf(engine);
  const Key = { pk: { S: `ORG#${organization.code}#PIPELINE` }, sk: { S: '000000000001' } };
  await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
  client.destroy();

  const refusal = { kind: 'unavailable' };
  await expect(createLead(open(), { firstName: 'Bo' })).rejects.toMatchObject(refusal);
  await expect(updateLead(open(), id, { status: 'won' })).rejects.toMatchObject(refusal);
  await expect(deleteLead(open(), id)).rejects.toMatchObject(refusal);
  await expect(getPipeline(open(), Date.now())).rejects.toMatchObject(refusal);
  expect(await listLeads(open(), { page: 1, limit: 50 })).toMatchObject({ totalCount: 1 });
});
