import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { leadStatuses } from '../../../shared/contract/leads.ts';
import { listLeads } from '../../../shared/domain/leads/leads.ts';
import { searches } from '../../support/moved-leads/lead-names.ts';
import { MovedLeads } from '../../support/moved-leads/moved-leads.ts';
import { templatesFor } from '../../support/moved-leads/templates.ts';
import { engine, newOrganization, newPlainTable, type TestOrganization } from '../../support/world.ts';

/** Number of leads: enough for a list with two buckets. */
const size = 3_000;
const limit = 50;

const client = clientOf(engine);
afterAll(() => {
  client.destroy();
});
let organization: TestOrganization;
let leads: MovedLeads;
beforeAll(async () => {
  const tableName = await newPlainTable();
  organization = await newOrganization('AU', tableName);
  leads = new MovedLeads(organization.code, size);
  const templates = await templatesFor(leads, organization.openLedger().ledger, { client, tableName });
  const puts = [...leads.items(templates)].map((item) => ({
    Put: { TableName: tableName, Item: marshall(item) },
  }));
  while (puts.length > 0)
    await client.send(new TransactWriteItemsCommand({ TransactItems: puts.splice(0, 100) }));
});

describe('leads that have each moved three times', () => {
  test.each(leadStatuses)(
    'a page of those that are %s costs at most two small items more than the first',
    async (status) => {
      const ids = leads.idsOf(status);
      expect(leads.joined(status)).toBeGreaterThan(2 * ids.length);
      const units: number[] = [];
      for (let page = 1; page <= Math.floor(ids.length / limit); page++) {
        const { ledger, capacity } = organization.openLedger();
        const { items, totalCount } = await listLeads(ledger, { status, page, limit });
        expect(items.map(({ id }) => id)).toEqual(ids.slice((page - 1) * limit, page * limit));
        expect(totalCount).toBe(ids.length);
        units.push(capacity.readUnits);
      }
      expect(units.length).toBeGreaterThan(8);
      expect(Math.max(...units)).toBeLessThanOrEqual(units[0]! + 2);
    },
  );

  test.each(searches)('$q finds, and reads little more: $what', async ({ q, matches, textsEach }) => {
    const { ledger, capacity } = organization.openLedger();
    const { items, totalCount } = await listLeads(ledger, { q, page: 1, limit: 100 });
    const expected = matches(size).slice(0, 100);
    expect(items.map(({ id }) => id)).toEqual(expected.map((number) => leads.idOf(number)));
    expect(totalCount).toBe(expected.length);
    // It reads an entry of each name that matches, and at most one page of 100 more.
    const entries = expected.length * textsEach + (textsEach === 1 ? 100 : 0);
    const unitsOfEntry = 0.11;
    const unitsOfIndexes = 1.5;
    expect(capacity.readUnits).toBeLessThanOrEqual(unitsOfIndexes + entries * unitsOfEntry);
  });
});
