import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { Collection, Ledger } from '../../../shared/ledger/index.ts';
import { SimulatedLedger } from './simulated-ledger.ts';
import { answerRingingEndpoint } from '../../../shared/contract/receptionist.ts';

const Rule = v.object({ id: v.number(), value: v.number() });
const rules = {
  name: 'RULE',
  label: 'rule',
  schema: Rule,
  isConfiguration: true,
} as const satisfies Collection;
const sales = {
  name: 'SALE',
  label: 'sale',
  schema: v.object({ id: v.number() }),
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const rule = (number: number) => ({ collection: rules, number });
const addRule = (value: number) => (ledger: Ledger) =>
  ledger.write({}, (write) => {
    write.append(rules, ({ number: id }) => ({ id, value }));
    write.event(event);
  });
const setRule = (number: number, value: number) => (ledger: Ledger) =>
  ledger.write({ change: { before: rule(number) } }, (write, { before }) => {
    write.replace(rule(number), { ...before, value });
    write.event(event);
  });
const removeRule = (number: number) => (ledger: Ledger) =>
  ledger.write({ change: { before: rule(number) } }, (write) => {
    write.remove(rule(number));
    write.event(event);
  });
const addSale = (ledger: Ledger) =>
  ledger.write({}, (write) => {
    write.append(sales, ({ number: id }) => ({ id }));
    write.event(event);
  });

const reach = { access: answerRingingEndpoint.access } as const;
let made = 0;
const read = (ledger: Ledger) =>
  ledger.prepared('TEXT', [rules], (all) => {
    made++;
    return all(rules)
      .map(({ id, value }) => `${id}=${value}`)
      .join(' ');
  });

test('a prepared text is made once for each state of the configuration', async () => {
  const simulated = await SimulatedLedger.found();
  const texts: string[] = [];
  for (const act of [addRule(1), addRule(2), addSale, setRule(1, 3), removeRule(2)]) {
    await simulated.run(act);
    made = 0;
    const first = await simulated.run(read, reach);
    const second = await simulated.run(read, reach);
    expect(second.result).toBe(first.result);
    expect(second.cost).toMatchObject({ roundTrips: 1, readUnits: 2, writes: 0 });
    texts.push(`${first.result}, made ${made} times`);
  }
  expect(texts).toEqual([
    '1=1, made 1 times',
    '1=1 2=2, made 1 times',
    '1=1 2=2, made 0 times',
    '1=3 2=2, made 1 times',
    '1=3, made 1 times',
  ]);
});
