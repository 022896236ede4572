import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { verifyOrganization } from '../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { leadStatuses } from '../../shared/contract/leads.ts';
import { realSystem } from '../../shared/core/system.ts';
import { createLead, listLeads } from '../../shared/domain/leads/leads.ts';
import { updateLead } from '../../shared/domain/leads/update-lead.ts';
import type { Item } from '../../shared/ledger/internal/attributes.ts';
import type { Store } from '../../shared/ledger/internal/store.ts';
import { newOrganizationCode } from '../../shared/core/ids.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { namesOf, searches, type Search } from '../support/moved-leads/lead-names.ts';
import { MovedLeads, type Templates } from '../support/moved-leads/moved-leads.ts';
import { allItems, templatesFor } from '../support/moved-leads/templates.ts';
import { startFilledEngine, withIndexes } from './filled-engine.ts';
import { limit } from './lead-list.ts';
import { found, openLedger, storeOf, withWorkshop } from './load-lists.ts';
import { named, sampledPages, type Cost } from './pages-section.ts';
import { pipelineSection, type MeasuredSearch, type MeasuredStatus } from './pipeline-section.ts';
import type { Measure } from './section.ts';
import { ledgerTable } from './ways.ts';

/** Measures pages of a status whose leads have moved, and searches of leads by their names. */
export const measurePipeline: Measure = async ({ quick, progress }) => {
  progress('A small load, made by the service too; and one with events, verified');
  await proveSmall(movedLeads(150));
  await proveWhole(movedLeads(5_000));
  const leads = movedLeads(quick ? 10_000 : 100_000);
  progress(`Loading ${named(leads.size)} leads, each of which has moved three times`);
  return withLoaded(leads, { withEvents: false }, async (client) => {
    const store = storeOf(client);
    progress('Pages of each status');
    const statuses: MeasuredStatus[] = [];
    for (const status of leadStatuses) statuses.push(await measureStatus(store, leads, status));
    progress('Searches');
    const found: MeasuredSearch[] = [];
    for (const search of searches) found.push(await measureSearch(client, leads, search));
    return pipelineSection(leads.size, statuses, found);
  });
};

async function measureStatus(
  store: Store,
  leads: MovedLeads,
  status: MeasuredStatus['status'],
): Promise<MeasuredStatus> {
  const ids = leads.idsOf(status);
  const lastPage = Math.floor(ids.length / limit);
  const pages = new Map<number, Cost>();
  for (const page of sampledPages({ lastPage })) {
    const { ledger, capacity } = openLedger(store, leads);
    const { items, totalCount } = await listLeads(ledger, { status, page, limit });
    const expected = ids.slice((page - 1) * limit, page * limit);
    if (totalCount !== ids.length || items.map(({ id }) => id).join() !== expected.join())
      throw new Error(`Page ${page} of the leads that are ${status} is wrong`);
    pages.set(page, { calls: capacity.calls, readUnits: capacity.readUnits });
  }
  return { status, leads: ids.length, joined: leads.joined(status), pages };
}

async function measureSearch(
  client: DynamoDBClient,
  leads: MovedLeads,
  { q, what, matches, textsEach }: Search,
): Promise<MeasuredSearch> {
  let entriesRead = 0;
  const name = 'count-entries';
  client.middlewareStack.add(
    (next) => async (args) => {
      const reply = await next(args);
      entriesRead += (reply.output as { Items?: unknown[] }).Items?.length ?? 0;
      return reply;
    },
    { step: 'initialize', name },
  );
  const { ledger, capacity } = openLedger(storeOf(client), leads);
  const { items, totalCount } = await listLeads(ledger, { q, page: 1, limit: 100 });
  client.middlewareStack.remove(name);
  const all = matches(leads.size);
  const expected = all.slice(0, 100).map((number) => leads.idOf(number));
  if (totalCount !== expected.length || items.map(({ id }) => id).join() !== expected.join())
    throw new Error(`A search for ${q} finds other leads`);
  const { calls, readUnits } = capacity;
  return { q, what, textsEach, matching: all.length, returned: items.length, entriesRead, calls, readUnits };
}

/** Loads the leads into a table with all its indexes, for `use`. */
async function withLoaded<T>(
  leads: MovedLeads,
  options: { withEvents: boolean },
  use: (client: DynamoDBClient) => Promise<T>,
): Promise<T> {
  const templates = await withWorkshop((client) => templatesIn(client, leads));
  function* lines() {
    for (const item of leads.items(templates, options)) yield JSON.stringify({ Item: marshall(item) });
  }
  const engine = await startFilledEngine({ [ledgerTable]: lines() }, withIndexes);
  const client = clientOf(engine);
  try {
    return await use(client);
  } finally {
    client.destroy();
    await engine.close();
  }
}

/** Makes leads of an organization whose code is drawn from a seed, their number: see `found`. */
const movedLeads = (size: number) => new MovedLeads(newOrganizationCode(seededRandom(size).random), size);

async function templatesIn(client: DynamoDBClient, leads: MovedLeads): Promise<Templates> {
  const store = storeOf(client);
  await found(store, leads);
  return templatesFor(leads, openLedger(store, leads).ledger, { client, tableName: ledgerTable });
}

/** @throws Error unless the service stores exactly the same by its own verbs */
async function proveSmall(leads: MovedLeads): Promise<void> {
  const templates = await withWorkshop((client) => templatesIn(client, leads));
  const made = await withWorkshop(async (client) => {
    const store = storeOf(client);
    await found(store, leads);
    const { ledger } = openLedger(store, leads);
    for (let number = 1; number <= leads.size; number++)
      await createLead(ledger, namesOf(number, leads.size));
    for (const { number, to } of leads.moves) await updateLead(ledger, leads.idOf(number), { status: to });
    return allItems({ client, tableName: ledgerTable });
  });
  const loaded = [...leads.items(templates, { withEvents: true })];
  for (const [at, item] of loaded.sort(byKey).entries()) {
    if (!isDeepStrictEqual(item, made.sort(byKey)[at]))
      throw new Error(`A loaded item is not what the service stores: ${JSON.stringify([item, made[at]])}`);
  }
  if (loaded.length !== made.length) throw new Error('The service stores more than is loaded');
}

/** @throws Error if `organization verify` finds anything */
async function proveWhole(leads: MovedLeads): Promise<void> {
  await withLoaded(leads, { withEvents: true }, async (client) => {
    const access = { client, tableName: ledgerTable, system: realSystem };
    const { findings } = await verifyOrganization(access, leads.code);
    if (findings.length > 0) throw new Error(`A load is not whole: ${JSON.stringify(findings.slice(0, 3))}`);
  });
}

const byKey = (one: Item, other: Item) => (keyOf(one) < keyOf(other) ? -1 : 1);
const keyOf = ({ pk, sk }: Item) => `${String(pk)} ${String(sk)}`;
