import { afterAll, beforeAll, expect, test } from 'vitest';
import { runChecks, unsettled } from '../../../infra/admin/verify/snapshots.ts';
import { TableReads } from '../../../infra/admin/verify/table-reads.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { engine, newOrganization, newPlainTable, type TestOrganization } from '../../support/world.ts';

const client = clientOf(engine);
let reads: TableReads;
let organization: TestOrganization;
/** Called before each serializable read. */
let before: () => Promise<unknown>;
client.middlewareStack.add(
  (next) => async (args) => {
    await before();
    return next(args);
  },
  { step: 'initialize' },
);
beforeAll(async () => {
  before = () => Promise.resolve();
  const tableName = await newPlainTable();
  organization = await newOrganization('AU', tableName);
  reads = new TableReads({ client, tableName, system: { ...realSystem, sleep: () => Promise.resolve() } });
});
afterAll(() => {
  client.destroy();
});

const addFaq = () => createFaq(organization.openLedger().ledger, { question: 'Open today?', answer: 'Yes' });
const head = () => headKey(organization.code);
const faqs = Array.from({ length: 250 }, (_, at) => at + 1);
const faq = (number: number) => recordKey(organization.code, 'FAQ', number);
/** Last FAQ number in the head, and number of FAQs: equal at each instant. */
const counted = (items: (Item | undefined)[], lists: unknown) => [
  Number((lists as Record<string, string>)['FAQ'] ?? 0),
  items.filter((item) => item !== undefined).length,
];

test('more items than one read takes are of one instant while others write', async () => {
  let writes = 3;
  before = async () => {
    if (writes-- > 0) await addFaq();
  };
  const [seen] = await runChecks(reads, [
    (snapshot) =>
      counted(
        faqs.map((number) => snapshot.get(faq(number))),
        snapshot.get(head())?.['lists'] ?? {},
      ),
  ]);
  expect(seen).toEqual([3, 3]);
});

test('more items than one read takes need the head to be of one instant', async () => {
  before = () => Promise.resolve();
  const check = (snapshot: Parameters<Parameters<typeof runChecks>[1][number]>[0]) =>
    faqs.map((number) => snapshot.get(faq(number)));
  expect(await runChecks(reads, [check])).toEqual([unsettled]);
});
