import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { findContracts, root } from '../../infra/functions.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { resolveSendingWorker } from '../../shared/contract/sms.ts';
import { createInquiry, listInquiries } from '../../shared/domain/inquiries/inquiries.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { createLead, listLeads } from '../../shared/domain/leads/leads.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';
import { handleNotification } from '../../shared/domain/sms/handle-notification.ts';
import { messages } from '../../shared/domain/threads/threads.ts';
import { hashToken } from '../../shared/domain/tokens/token.ts';
import { newConsumedCapacity, type Ledger } from '../../shared/ledger/index.ts';
import { SendingOrganization } from '../shared/domain/sending/sending-organization.ts';
import { itemSize } from '../simulation/attribute-values.ts';
import { allSettings, synthesizeStacks, templateOf } from '../support/made-up-stack.ts';
import type { Cost } from '../support/operations.ts';
import { recordedStore } from '../support/recorded-store.ts';
import { newInquiries } from '../support/records.ts';
import { deliver, newNumber, deliveryReport, acceptingProvider, smsNotification } from '../support/sms.ts';
import { engine, limits, newOrganization, newPlainTable, tableAt } from '../support/world.ts';
import { ofStage } from './fixed.ts';
import { measured, storedBytes } from './measured.ts';
import { costPage } from './page.ts';

test('docs/cost.md is what the units and the prices come to, of each operation that it has a row for', async () => {
  const page = readFileSync(join(root, 'docs/cost.md'), 'utf8');
  const listed = new Set([...page.matchAll(/^\| ([a-z]\w+) +\|/gm)].map(([, name = '']) => name));
  expect(listed.size).toBeGreaterThan(25);
  expect(page === (await costPage(listed)), 'docs/cost.md is out of date: run "npm run cost"').toBe(true);
});

test('pages, inquiries, the authorizer and an idle worker cost what the page counts with, and take so much room', async () => {
  const tableName = await newPlainTable();
  const organization = await newOrganization('AU', tableName);
  const costOf = async (run: (ledger: Ledger) => Promise<unknown>): Promise<Cost> => {
    const { store, roundTrips } = recordedStore(tableAt(tableName));
    const { ledger, capacity } = organization.openLedger({ store });
    await run(ledger);
    return [roundTrips(), capacity.readUnits, capacity.writeUnits];
  };
  const { store, roundTrips } = recordedStore(tableAt(tableName));
  const granting = limits();
  await store.grantOf(hashToken(organization.token), granting);
  expect([roundTrips(), granting.capacity.readUnits, 0]).toEqual(measured.authorize);
  expect(await costOfIdleWorker(tableName)).toEqual(measured.idleWorker);

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
  for (const lead of leads) await createInquiry(ledger, lead.id, call);
  const withInquiries = await bytesIn(tableName);
  for (const part of ['table', 'indexes'] as const) {
    const each = (from: number, to: number) => Math.round((to - from) / count / 100) * 100;
    expect({
      lead: each(before[part], withLeads[part]),
      inquiry: each(withLeads[part], withInquiries[part]),
    }).toEqual(storedBytes[part]);
  }

  const page = { page: 1, limit: count };
  expect(await costOf((fresh) => listLeads(fresh, page))).toEqual(measured.pageOfLeads);
  expect(await costOf((fresh) => listInquiries(fresh, page))).toEqual(measured.pageOfInquiries);
  expect(await costOf((fresh) => createInquiry(fresh, leads[0]!.id, call))).toEqual(measured.inquiry);
});

test('a text that comes in, and a report of delivery, cost what the page counts with', async () => {
  const tableName = await newPlainTable();
  const organization = await newOrganization('AU', tableName);
  const { number } = await newNumber(organization);
  const lead = await createLead(organization.openLedger().ledger, { name: 'Ann', phone: '+61491570156' });
  const { store: plain } = recordedStore(tableAt(tableName));
  const text = () => smsNotification({ from: lead.phone, to: number });
  await deliver(text(), { store: plain });
  expect(await costOfNotification(tableName, text())).toEqual(measured.textIn);

  const { ledger } = organization.openLedger();
  const provider = { send: acceptingProvider().send };
  const message = { userId: organization.userId, leadId: lead.id, message: 'On our way' };
  const { messageId } = await sendSms({ before: ledger, after: ledger }, provider, message, () => undefined);
  const context = { organization: organization.code, message: messageId };
  const report = deliveryReport('TEXT_DELIVERED', {
    messageId: `${organization.code}-${messageId}`,
    context,
  });
  expect(await costOfNotification(tableName, report)).toEqual(measured.report);
});

test('a run of the sender costs what the page counts with', async () => {
  const at = await SendingOrganization.found();
  await at.webhook(['lead.*']);
  await at.send();
  const costOf = async (): Promise<Cost> => {
    const capacity = newConsumedCapacity();
    await at.send({}, {}, capacity);
    return [capacity.calls, capacity.readUnits, capacity.writeUnits];
  };
  const addLead = (name: string) => at.run((ledger) => createLead(ledger, { name }));
  await addLead('Ann');
  const [delivery, idleWebhook] = [await costOf(), await costOf()];
  at.answer = () => ({ failure: 'TIMEOUT' });
  await addLead('Bea');
  expect(measured).toMatchObject({ delivery, idleWebhook, failedAttempt: await costOf() });
  expect(at.got).toHaveLength(2);
});

/** Measures the cost of a notification to the worker. */
async function costOfNotification(tableName: string, body: string): Promise<Cost> {
  const { store, roundTrips } = recordedStore(tableAt(tableName));
  const within = limits();
  await handleNotification(body, {
    organizationOf: (number) => store.organizationOfPhoneNumber(number, within),
    ledgersOf: (organization) => {
      const ledger = store.ledgerOf({ organization, userId: 'system', ...within });
      return { before: ledger, after: ledger };
    },
    provider: { send: acceptingProvider().send },
    report: (error) => {
      throw error;
    },
    reportSms: () => undefined,
  });
  return [roundTrips(), within.capacity.readUnits, within.capacity.writeUnits];
}

async function costOfIdleWorker(tableName: string): Promise<Cost> {
  const { store, roundTrips } = recordedStore(tableAt(tableName));
  const { deadline, capacity } = limits();
  const until = new Date().toISOString();
  const due = store.dueRecords(messages, resolveSendingWorker.name, until, { deadline, capacity });
  for await (const message of due) expect(message).toBeUndefined();
  return [roundTrips(), capacity.readUnits, capacity.writeUnits];
}

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
