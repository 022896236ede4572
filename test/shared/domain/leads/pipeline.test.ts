import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { clientOf } from '../../../../infra/local/engine.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../../shared/domain/leads/list-leads.ts';
import { getPipeline } from '../../../../shared/domain/leads/pipeline.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { foundOrganization } from '../../../../shared/domain/organizations/found-organization.ts';
import { newConsumedCapacity } from '../../../../shared/ledger/index.ts';
import { engine, newOrganization, newPlainTable, newStore } from '../../../support/test-organization.ts';

/** Date of the newest day of a new organization, at one o'clock in the afternoon of 22 November in Sydney. */
async function todayIn(country: string, timeZone?: string): Promise<string> {
  const now = Date.parse('2026-11-22T02:00:00.000Z');
  const store = newStore({ now: () => now });
  const limits = { deadline: now + 60_000, capacity: newConsumedCapacity() };
  const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const input = { name: 'Test', country, owner, timeZone };
  const { code, ownerId } = await foundOrganization(store, limits, input, Math.random, () => ({}));
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
  return (await getPipeline(ledger, now)).days[0]!.date;
}

test("a day is in the country's usual time zone, or in the one that was given", async () => {
  expect(await todayIn('AU')).toBe('2026-11-22');
  expect(await todayIn('US')).toBe('2026-11-21');
  expect(await todayIn('US', 'Asia/Tokyo')).toBe('2026-11-22');
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
