import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { clientOf } from '../../infra/local/engine.ts';
import { createLead, getLead } from '../../shared/domain/leads/leads.ts';
import type { LeadRecord } from '../../shared/domain/leads/lead-record.ts';
import type { Head } from '../../shared/ledger/internal/head.ts';
import { startFilledEngine, withListIndex } from './filled-engine.ts';
import { limit, readHead } from './lead-list.ts';
import { found, openLedger, storeOf, withWorkshop } from './load-lists.ts';
import { listedLeads, makeByLedger, MovingList, prove } from './moving-list.ts';
import { named, percent, sampledPages, type Cost, type MeasuredMoves } from './pages-section.ts';
import type { Run } from './section.ts';
import { ledgerTable } from './ways.ts';

/** What the pages of a list in an index cost whose members have moved, and of one whose members have not. */
export async function measureMoves({ quick, progress }: Run): Promise<MeasuredMoves[]> {
  const measured: MeasuredMoves[] = [];
  for (const share of [0, 0.3]) {
    const list = new MovingList(quick ? 10_000 : 100_000, share);
    progress(`Pages of a list of ${named(list.size)} in an index, ${percent(share)} of them moved`);
    const start = await withWorkshop(async (client) => {
      const store = storeOf(client);
      await found(store, list);
      const founded = await readHead(DynamoDBDocumentClient.from(client), ledgerTable, list);
      return { founded, template: await templateOf(openLedger(store, list).ledger) };
    });
    measured.push({ list, pages: await costsOf(list, start) });
  }
  await proveSmall();
  return measured;
}

/** What a lead is but for its id and its name. */
async function templateOf(ledger: Parameters<typeof createLead>[0]): Promise<LeadRecord> {
  const { id } = await createLead(ledger, { firstName: 'Lead' });
  return getLead(ledger, id);
}

/** The cost of twelve pages, spaced over the whole list, and of the middle one; each must be right. */
async function costsOf(
  list: MovingList,
  { template, founded }: { template: LeadRecord; founded: Head },
): Promise<Map<number, Cost>> {
  const { ids } = list;
  function* lines() {
    for (const item of list.items(template, founded)) yield lineOf(item);
    for (const item of list.notes(founded)) yield lineOf(item);
  }
  const engine = await startFilledEngine({ [ledgerTable]: lines() }, withListIndex);
  const client = clientOf(engine);
  try {
    const store = storeOf(client);
    const pages = new Map<number, Cost>();
    for (const page of sampledPages(list)) {
      const { ledger, capacity } = openLedger(store, list);
      const { items, totalCount } = await ledger.list(listedLeads, 'status', 'pending', { page, limit });
      const expected = ids.slice((page - 1) * limit, page * limit);
      if (totalCount !== list.size || items.map(({ id }) => id).join() !== expected.join())
        throw new Error(`Page ${page} of a list of ${named(list.size)} with moves is wrong`);
      pages.set(page, { calls: capacity.calls, readUnits: capacity.readUnits });
    }
    return pages;
  } finally {
    client.destroy();
    await engine.close();
  }
}

const lineOf = (item: object) => JSON.stringify({ Item: marshall(item) });

/** @throws Error unless a small list is stored by the ledger's own writes as the great ones are. */
async function proveSmall(): Promise<void> {
  const list = new MovingList(500, 0.3);
  await withWorkshop(async (client) => {
    const store = storeOf(client);
    await found(store, list);
    const documents = DynamoDBDocumentClient.from(client);
    const founded = await readHead(documents, ledgerTable, list);
    const template = await withWorkshop(async (other) => {
      await found(storeOf(other), list);
      return templateOf(openLedger(storeOf(other), list).ledger);
    });
    await makeByLedger(openLedger(store, list).ledger, list, template);
    await prove(documents, ledgerTable, list, { template, founded });
  });
}
