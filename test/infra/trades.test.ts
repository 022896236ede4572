import * as v from 'valibot';
import { expect, inject, test } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import { trades } from '../../infra/trades/trades.ts';
import { NewFaq } from '../../shared/contract/faqs.ts';
import { NewWeekHours, noHours } from '../../shared/contract/opening-hours.ts';
import { NewPolicy } from '../../shared/contract/policies.ts';
import { NewProduct } from '../../shared/contract/products.ts';
import { NewService } from '../../shared/contract/services.ts';
import { NewTransfer } from '../../shared/contract/transfers.ts';
import { realSystem } from '../../shared/core/system.ts';
import { openStore } from '../../shared/ledger/index.ts';
import { foundOrganizationBy, limits } from '../support/stored-organization.ts';
import { verifyOrganization } from '../support/verify-organization.ts';
import { engine } from '../support/test-organization.ts';
import { aroundCalls } from '../support/store/around-calls.ts';

const sets = Object.entries(trades);

test.each(sets)('the records of the trade %s are what bodies of the API could say', (_trade, set) => {
  const inCategory = ({ category, ...record }: { category: string }) => ({
    ...record,
    tradeCategoryId: 1 + set.categories.findIndex(({ name }) => name === category),
  });
  const bodies: [v.GenericSchema, readonly object[]][] = [
    [NewWeekHours, [{ ...noHours, ...set.openingHours }]],
    [NewService, set.services.map(inCategory)],
    [NewProduct, set.products.map(inCategory)],
    [NewTransfer, set.transfers.map(({ scenarioOfService, ...transfer }) => transfer)],
    [NewPolicy, set.policies],
    [NewFaq, set.faqs],
  ];
  for (const [schema, records] of bodies)
    for (const record of records) expect(v.parse(schema, record)).toEqual(record);
});

test.each(sets)(
  'what is to be filled in of the trade %s is not in use, and nothing has a price',
  (_trade, set) => {
    const texts = [
      ...set.products.map(({ description, isActive }) => ({ text: description, isActive })),
      ...set.policies.map(({ content, isActive }) => ({ text: content, isActive })),
      ...set.faqs.map(({ answer, isActive }) => ({ text: answer, isActive })),
    ];
    for (const text of texts)
      expect(text).toEqual({ text: expect.stringMatching(/^Write here /) as unknown, isActive: false });
    expect(JSON.stringify(set)).not.toMatch(/"\w*(price|rate|fee)"/i);
  },
);

test.each(sets)(
  'an organization of the trade %s is founded by one transaction with room to spare',
  async (_trade, set) => {
    const transactions: number[] = [];
    const client = clientOf(engine);
    aroundCalls(client, (_, send, input) => {
      if ('TransactItems' in input) transactions.push((input.TransactItems as unknown[]).length);
      return send();
    });
    const tableName = inject('tableName');
    const by = { open: () => openStore(client, tableName, realSystem), limits };
    const { code } = await foundOrganizationBy(by, { startSet: set });
    expect(transactions).toEqual([expect.any(Number)]);
    // DynamoDB takes 100 items, and lists that are added later need some.
    expect(transactions[0]).toBeLessThanOrEqual(90);
    expect((await verifyOrganization({ client, tableName, system: realSystem }, code)).findings).toEqual([]);
  },
);
