import {
  CreateTableCommand,
  ScanCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { clientOf, startEngine, type Engine } from '../../infra/local/engine.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { createLead, deleteLead } from '../../shared/domain/leads/leads.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import type { Head } from '../../shared/ledger/internal/head.ts';
import type { Ledger } from '../../shared/ledger/internal/ledger.ts';
import {
  newConsumedCapacity,
  type ConsumedCapacity,
} from '../../shared/ledger/internal/consumed-capacity.ts';
import { realSystem } from '../../shared/core/system.ts';
import { openStore, type Store } from '../../shared/ledger/internal/store.ts';
import { ownerIdOf } from '../../shared/domain/members/members.ts';
import { foundOrganization } from '../../shared/domain/organizations/found-organization.ts';
import { keyOfTable, startFilledEngine } from './filled-engine.ts';
import { deleteItems, LeadList, nameOf, patternOf, readHead, readList, writeState } from './lead-list.ts';

/** Table of the ledger's leads. */
export const ledgerTable = 'Ledger';

/** A list with the stored form of its first lead. */
interface StoredList {
  list: LeadList;
  first: Record<string, AttributeValue>;
}

/** Time of every write, so that a list made twice is the same. */
const writeTime = Date.parse('2026-11-02T13:00:00.000Z');

/** Lists in an engine, one of each size, as the ledger stores them. */
export class LoadedLists {
  readonly engine: Engine;
  /** Number of imported leads, and seconds of the import. */
  readonly loading: { leads: number; seconds: number };
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;
  readonly #store: Store;
  /** First leads as stored, by the size of their list. */
  readonly #firsts: Map<number, StoredList['first']>;
  /** Current lists with the heads of their organizations before the first lead, by size. */
  readonly #now = new Map<number, { list: LeadList; founded: Head }>();

  private constructor(engine: Engine, stored: StoredList[], seconds: number) {
    this.engine = engine;
    this.#client = clientOf(engine);
    this.#documents = DynamoDBDocumentClient.from(this.#client);
    this.#store = storeOf(this.#client);
    this.#firsts = new Map(stored.map(({ list, first }) => [list.size, first]));
    this.loading = { leads: stored.reduce((sum, { list }) => sum + list.size, 0), seconds };
  }

  /** Loads a list of each size without deleted leads. */
  static async load(sizes: readonly number[]): Promise<LoadedLists> {
    const stored: StoredList[] = [];
    for (const size of sizes) {
      const list = new LeadList(size, 0);
      stored.push({ list, first: await withWorkshop((client) => storeFirst(client, list)) });
    }
    const began = performance.now();
    const engine = await startFilledEngine(ledgerTable, exportOf(stored));
    const lists = new LoadedLists(engine, stored, (performance.now() - began) / 1000);
    for (const { list } of stored) {
      await found(lists.#store, list);
      await lists.#setTo(list, await readHead(lists.#documents, ledgerTable, list));
    }
    return lists;
  }

  /** Opens the ledger of a list's organization, and counts its capacity. */
  openLedger(list: LeadList): { ledger: Ledger; capacity: ConsumedCapacity } {
    return openLedger(this.#store, list);
  }

  /** Deletes the deleted leads of this list from the list of its size. */
  async reduceTo(reduced: LeadList): Promise<void> {
    const { list: before, founded } = this.#now.get(reduced.size)!;
    const first = this.#firsts.get(reduced.size)!;
    const gone = new Set(before.deleted);
    const keyOf = patternOf(before, { pk: first['pk'], sk: first['sk'] });
    const keys = reduced.deleted
      .filter((number) => !gone.has(number))
      .map((number) => JSON.parse(keyOf(number)) as Record<string, AttributeValue>);
    await deleteItems(this.#client, ledgerTable, keys);
    await this.#setTo(reduced, founded);
  }

  /**
   * @throws Error unless the list of this size is stored as the ledger's own creates and deletes would leave
   * it
   */
  async prove(size: number): Promise<void> {
    const { list } = this.#now.get(size)!;
    const made = await withWorkshop((client) => makeByLedger(client, list));
    const loaded = await readList(this.#documents, ledgerTable, list);
    if (!isDeepStrictEqual(loaded, made)) throw new Error('A loaded list is not what the ledger makes');
  }

  async close(): Promise<void> {
    this.#client.destroy();
    await this.engine.close();
  }

  async #setTo(list: LeadList, founded: Head): Promise<void> {
    await writeState(this.#documents, ledgerTable, list, founded);
    this.#now.set(list.size, { list, founded });
  }
}

/** Runs `use` on a table of its own, in an engine in memory. */
async function withWorkshop<T>(use: (client: DynamoDBClient) => Promise<T>): Promise<T> {
  const engine = await startEngine();
  const client = clientOf(engine);
  try {
    const { KeySchema, AttributeDefinitions } = keyOfTable;
    const shape = { KeySchema: [...KeySchema], AttributeDefinitions: [...AttributeDefinitions] };
    await client.send(
      new CreateTableCommand({ TableName: ledgerTable, ...shape, BillingMode: 'PAY_PER_REQUEST' }),
    );
    return await use(client);
  } finally {
    client.destroy();
    await engine.close();
  }
}

/** Lets the ledger create the first lead of a list. Returns its stored form. */
async function storeFirst(client: DynamoDBClient, list: LeadList): Promise<StoredList['first']> {
  const store = storeOf(client);
  await found(store, list);
  const lead = await createLead(openLedger(store, list).ledger, { firstName: nameOf(1) });
  const { Items = [] } = await client.send(new ScanCommand({ TableName: ledgerTable }));
  const first = Items.find(({ id }) => id?.S === lead.id);
  if (!first) throw new Error('The lead is not in the table');
  return first;
}

function* exportOf(lists: readonly StoredList[]): Generator<string> {
  for (const { list, first } of lists) {
    const itemOf = patternOf(list, first);
    for (let number = 1; number <= list.size; number++) yield `{"Item":${itemOf(number)}}`;
  }
}

/** Creates a list and deletes its deleted leads through the ledger. Returns the stored form. */
async function makeByLedger(client: DynamoDBClient, list: LeadList) {
  const store = storeOf(client);
  await found(store, list);
  const { ledger } = openLedger(store, list);
  for (let number = 1; number <= list.size; number++) await createLead(ledger, { firstName: nameOf(number) });
  for (const number of list.deleted) await deleteLead(ledger, list.idOf(number));
  return readList(DynamoDBDocumentClient.from(client), ledgerTable, list);
}

const storeOf = (client: DynamoDBClient) =>
  openStore(client, ledgerTable, { ...realSystem, now: () => writeTime });

const limits = () => ({ deadline: writeTime + 60_000, capacity: newConsumedCapacity() });

function openLedger(
  store: Store,
  { code }: { code: OrganizationCode },
): { ledger: Ledger; capacity: ConsumedCapacity } {
  const caller = { organization: code, userId: ownerIdOf(code), ...limits() };
  return { ledger: store.ledgerOf(caller), capacity: caller.capacity };
}

/** Founds the organization of a list. Its code is drawn from a seed, the list's size. */
async function found(store: Store, list: { size: number }): Promise<void> {
  const owner = { firstName: 'Bea', lastName: 'Bench', email: 'bea@example.com' };
  const { random } = seededRandom(list.size);
  await foundOrganization(store, limits(), { name: 'Bench', country: 'AU', owner }, random, () => ({}));
}
