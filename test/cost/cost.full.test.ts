import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { storeInquiry, listInquiries } from '../../shared/domain/inquiries/inquiries.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { listLeads } from '../../shared/domain/leads/list-leads.ts';
import type { Ledger } from '../../shared/ledger/index.ts';
import { itemSize } from '../simulation/attribute-values.ts';
import { callCosts } from '../support/call-costs.ts';
import { allSettings, synthesizeStacks, templateOf } from '../support/template/made-up-stack.ts';
import type { Cost } from '../support/operations.ts';
import { recordedStore } from '../support/store/recorded-store.ts';
import { newInquiries } from '../support/filled-records.ts';
import { engine, newOrganization, newPlainTable, tableAt } from '../support/test-organization.ts';
import { storedBytes } from './assumptions.ts';
import { pages, readPage, withCosts } from './page.ts';
import { ofStage } from './stage.ts';

test('the pages have what the units and the prices come to', async () => {
  const written = await withCosts();
  for (const page of pages)
    expect(written[page] === readPage(page), `${page} is out of date: run "npm run cost"`).toBe(true);
});

test('full pages and inquiries cost what the page counts with, and take so much room', async () => {
  const tableName = await newPlainTable();
  const organization = await newOrganization({ tableName: tableName });
  const costOf = async (run: (ledger: Ledger) => Promise<unknown>): Promise<Cost> => {
    const { store, roundTrips } = recordedStore(tableAt(tableName));
    const { ledger, capacity } = organization.openLedger({ store });
    await run(ledger);
    return [roundTrips(), capacity.readUnits, capacity.writeUnits];
  };
  const count = 50;
  const { ledger } = organization.openLedger();
  const leads: Lead[] = [];
  const before = await bytesIn(tableName);
  for (let n = 100; n < 100 + count; n++) {
    const contact = { email: `sofia.rossi${n}@example.com`, phone: `0491 570 ${n}` };
    leads.push(await createLead(ledger, { name: 'Sofia Rossi', suburb: 'Leichhardt', ...contact }));
  }
  const withLeads = await bytesIn(tableName);
  const call = newInquiries.find(({ source }) => source === 'CALL')!;
  for (const lead of leads) await storeInquiry(ledger, lead.id, call);
  const withInquiries = await bytesIn(tableName);
  for (const part of ['table', 'indexes'] as const) {
    const each = (from: number, to: number) => Math.round((to - from) / count / 100) * 100;
    expect({
      lead: each(before[part], withLeads[part]),
      inquiry: each(withLeads[part], withInquiries[part]),
    }).toEqual(storedBytes[part]);
  }

  const page = { page: 1, limit: count };
  expect(await costOf((fresh) => listLeads(fresh, page))).toEqual(callCosts.pageOfLeads);
  expect(await costOf((fresh) => listInquiries(fresh, page))).toEqual(callCosts.pageOfInquiries);
  expect(await costOf((fresh) => storeInquiry(fresh, leads[0]!.id, call))).toEqual(callCosts.inquiry);
});

/** Bytes that AWS charges for a table and for its indexes. */
async function bytesIn(TableName: string): Promise<Record<'table' | 'indexes', number>> {
  const client = clientOf(engine);
  const bytes = { table: 0, indexes: 0 };
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      const size = itemSize(item) + 100;
      bytes.table += size;
      bytes.indexes += size * Object.keys(item).filter((name) => /^gsi\d+pk$/.test(name)).length;
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return bytes;
}

test('a stage has the alarms, the dashboard and the rules that the page counts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cost-'));
  const contracts = await findContracts();
  synthesizeStacks(folder, {
    stage: 'prod',
    // Without the alarm that is off unless it is asked for.
    settings: { ...allSettings, alarmAfterHoursWithoutTraffic: 0 },
    contracts,
  });
  const { resources } = templateOf(folder);
  const of = (type: string) =>
    Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));
  // An alarm on one metric names it. An alarm on several lists them, beside its expression.
  const read = of('AWS::CloudWatch::Alarm').flatMap(({ MetricName, Metrics }) =>
    MetricName === undefined ? (Metrics as object[]).filter((one) => 'MetricStat' in one) : [MetricName],
  );
  expect({
    alarmMetrics: read.length,
    dashboards: of('AWS::CloudWatch::Dashboard').length,
    queues: of('AWS::Lambda::EventSourceMapping').filter(({ EventSourceArn }) =>
      JSON.stringify(EventSourceArn).includes('Queue'),
    ).length,
    fifoQueues: of('AWS::Lambda::EventSourceMapping').filter(
      ({ FunctionResponseTypes }) => FunctionResponseTypes,
    ).length,
    keys: templateOf(folder).data.of('AWS::KMS::Key').length,
    webAclRules: of('AWS::WAFv2::WebACL').flatMap(({ Rules }) => Rules).length,
  }).toEqual(ofStage);
  rmSync(folder, { recursive: true });
});
