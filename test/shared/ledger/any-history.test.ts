import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Collection, Ledger, RecordOf } from '../../../shared/ledger/index.ts';
import {
  headKey,
  holesKey,
  listName,
  listPartition,
  stateKey,
} from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, formatState, windowSize } from '../../../shared/ledger/internal/list-state.ts';
import { holeBits, increments } from '../../../shared/ledger/internal/packed-numbers.ts';
import { storeAt } from '../../support/organizations.ts';
import { engine, newOrganization, newPlainTable, tableAt } from '../../support/world.ts';
import { PlainLists } from './plain-lists.ts';

const boards = {
  name: 'BOARD',
  label: 'board',
  schema: v.object({ id: v.number(), name: v.string(), shelf: v.string() }),
  uniques: ({ name }: { name: string }) => [{ field: 'name', value: name }],
  lists: { shelf: { of: ({ shelf }: { shelf: string }) => ({ name: shelf }) } },
  eventListIndex: 2,
} as const satisfies Collection;

const Card = v.object({
  id: v.number(),
  stage: v.string(),
  /** The board that it is on, and the one that is to look at it; 0 for none. */
  board: v.number(),
  reviewer: v.number(),
  tag: v.string(),
});
type Card = v.InferOutput<typeof Card>;
const ownedBy = (number: number) => ({ owner: { collection: boards, id: number } });
const cards = {
  name: 'CARD',
  label: 'card',
  schema: Card,
  lists: {
    stage: { of: ({ stage }: Card) => ({ name: stage }) },
    board: { of: ({ board }: Card) => (board === 0 ? undefined : ownedBy(board)) },
    boardAndStage: {
      of: ({ board, stage }: Card) => (board === 0 ? undefined : { ...ownedBy(board), name: stage }),
    },
    tag: { of: ({ tag }: Card) => (tag === '' ? undefined : { name: tag }), hasManyNames: true },
    reviewer: { of: ({ reviewer }: Card) => (reviewer === 0 ? undefined : ownedBy(reviewer)) },
  },
} as const satisfies Collection;

/** The lists that a record is in, by names of the test's own. */
const listsOfCard = ({ stage, board, reviewer, tag }: Card) => [
  'cards',
  `stage/${stage}`,
  ...(board === 0 ? [] : [`board/${board}`, `boardAndStage/${board}/${stage}`]),
  ...(tag === '' ? [] : [`tag/${tag}`]),
  ...(reviewer === 0 ? [] : [`reviewer/${reviewer}`]),
];
/** Matches the name of a list that a board owns, with the board's number. */
const ownedLists = /^(?:board|boardAndStage|reviewer|events)\/(\d+)/;
const listsOfBoard = ({ shelf }: RecordOf<typeof boards>) => ['boards', `shelf/${shelf}`];

const stages = ['open', 'done'];
const shelves = ['top', 'bottom'];
/** Names that users could give: one is the name of a stage, and others look like parts of keys. */
const tags = ['', 'open', '24h', '000000000001', 'a#b', '#', 'Straße'];
const limits = [1, 3, 7, 100];

/**
 * Number of members that have joined and left each list below before the history begins. The lists are then
 * about to get a second bucket.
 */
const spent = bucketSize - 20;
const spentLists = [
  { collection: 'CARD' },
  { collection: 'CARD', index: 'gsi1', name: 'open' },
  { collection: 'CARD', index: 'gsi4', name: 'open' },
] as const;

async function spend(TableName: string, code: OrganizationCode): Promise<void> {
  const client = clientOf(engine);
  const documents = DynamoDBDocumentClient.from(client);
  const put = (Item: object) => documents.send(new PutCommand({ TableName, Item: { ...Item } }));
  const newest = 2n ** BigInt(windowSize) - 1n;
  const state = formatState({ last: spent, left: spent, newest });
  const holes = increments(
    holeBits,
    Array.from({ length: spent }, (_, at) => at),
  );
  for (const list of spentLists) {
    const partition = listPartition(code, list);
    await put({ ...holesKey(partition, 0), ...Object.fromEntries(holes) });
    if ('index' in list && list.index === 'gsi4') {
      await put({ ...stateKey(partition), state });
      continue;
    }
    const update = {
      UpdateExpression: 'SET lists.#list = :state',
      ExpressionAttributeNames: { '#list': listName(list) },
      ExpressionAttributeValues: { ':state': state },
    };
    await documents.send(new UpdateCommand({ TableName, Key: { ...headKey(code) }, ...update }));
  }
  client.destroy();
}

const event = { event: 'TEST', data: 'A test', referenceId: '1' };

/** Random changes of an organization, and a model of the lists that must follow. */
class History {
  readonly #random = seededRandom(21).random;
  readonly #plain = new PlainLists();
  readonly #cards = new Map<number, Card>();
  readonly #boards = new Map<number, RecordOf<typeof boards>>();
  /** Number of the last event. Two are of the founding. */
  #lastEvent = 2;
  #lastCard = spent;

  get lists(): string[] {
    return this.#plain.names;
  }

  /** Number of cards since the beginning, and of removed boards whose lists still have members. */
  get extent(): { cards: number; goneBoards: number } {
    const boardsSoFar = Math.max(...this.lists.map((list) => Number(ownedLists.exec(list)?.[1] ?? 0)));
    return { cards: this.#lastCard - spent, goneBoards: boardsSoFar - this.#boards.size };
  }

  of(list: string): number[] {
    return this.#plain.of(list);
  }

  /** One write at random. */
  async step(ledger: Ledger): Promise<void> {
    const chance = this.#random();
    if (this.#boards.size === 0 || chance < 0.08) await this.#addBoard(ledger);
    else if (chance < 0.11) await this.#removeBoard(ledger);
    else if (chance < 0.2) await this.#tellOfBoard(ledger);
    else if (chance < 0.5) await this.#addCards(ledger);
    else await this.#changeCards(ledger);
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }

  #some<T>(all: readonly T[], most: number): T[] {
    const left = [...all];
    const count = Math.min(left.length, 1 + Math.floor(this.#random() * most));
    return Array.from({ length: count }, () => left.splice(Math.floor(this.#random() * left.length), 1)[0]!);
  }

  /** Notes events that were stored, of the boards in whose lists they are. */
  #happened(...of: readonly (number | undefined)[]): void {
    for (const board of of) {
      this.#lastEvent++;
      if (board !== undefined) this.#plain.join(`events/${board}`, this.#lastEvent);
    }
  }

  async #addBoard(ledger: Ledger): Promise<void> {
    const shelf = this.#pick(shelves);
    const { record } = await ledger.write({}, (write) => {
      const added = write.append(boards, ({ number }) => ({ id: number, name: `Größe ${number}`, shelf }));
      write.event(event, [added.ref]);
      return added;
    });
    this.#happened(record.id);
    this.#boards.set(record.id, record);
    this.#plain.move(record.id, [], listsOfBoard(record));
  }

  async #removeBoard(ledger: Ledger): Promise<void> {
    const board = this.#pick([...this.#boards.values()]);
    const ref = { collection: boards, number: board.id };
    await ledger.write({ change: { ref } }, (write) => {
      write.remove(ref);
      write.event(event, [ref]);
      write.event(event, [ref]);
    });
    this.#happened(board.id, board.id);
    this.#boards.delete(board.id);
    this.#plain.move(board.id, listsOfBoard(board), []);
  }

  /** Changes nothing of a board but the list of its events. */
  async #tellOfBoard(ledger: Ledger): Promise<void> {
    const ref = { collection: boards, number: this.#pick([...this.#boards.keys()]) };
    await ledger.write({ change: { ref } }, (write) => {
      write.event(event, [ref]);
    });
    this.#happened(ref.number);
  }

  #newPlace(): Omit<Card, 'id'> {
    const board = () => (this.#random() < 0.2 ? 0 : this.#pick([...this.#boards.keys()]));
    return { stage: this.#pick(stages), board: board(), reviewer: board(), tag: this.#pick(tags) };
  }

  async #addCards(ledger: Ledger): Promise<void> {
    const places = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => this.#newPlace());
    const added = places.map((place, at) => ({ id: this.#lastCard + 1 + at, ...place }));
    await this.#store(
      ledger,
      added.map((after) => ({ after })),
    );
    this.#lastCard += added.length;
  }

  async #changeCards(ledger: Ledger): Promise<void> {
    const changes = this.#some([...this.#cards.values()], 4).map((before) => {
      if (this.#random() < 0.2) return { before };
      const place = this.#newPlace();
      const after = {
        ...before,
        ...(this.#random() < 0.3 ? {} : this.#random() < 0.5 ? { tag: place.tag } : place),
      };
      // No card joins a list of a removed board: the card leaves it.
      for (const name of ['board', 'reviewer'] as const) {
        if (!this.#boards.has(after[name]) && after.stage !== before.stage) after[name] = 0;
      }
      return { before, after };
    });
    if (changes.length > 0) await this.#store(ledger, changes);
  }

  async #store(ledger: Ledger, changes: { before?: Card; after?: Card }[]): Promise<void> {
    const moves = changes.map(({ before, after }) => ({
      before,
      after,
      from: before ? listsOfCard(before) : [],
      to: after ? listsOfCard(after) : [],
    }));
    const moved = moves.flatMap(({ from, to }) => [
      ...from.filter((list) => !to.includes(list)),
      ...to.filter((list) => !from.includes(list)),
    ]);
    const owners = new Set(moved.flatMap((list) => ownedLists.exec(list)?.[1] ?? []));
    const refOf = (number: number) => ({ collection: cards, number });
    const change = {
      ...Object.fromEntries(
        moves.flatMap(({ before }) => (before ? [[`card ${before.id}`, refOf(before.id)] as const] : [])),
      ),
      ...Object.fromEntries(
        [...owners].map((number) => {
          const ref = { collection: boards, number: Number(number) };
          return [`board ${number}`, { ref, mayBeAbsent: true }] as const;
        }),
      ),
    };
    await ledger.write({ change }, async (write) => {
      for (const number of owners) {
        const ref = { collection: boards, number: Number(number) };
        if (!this.#boards.has(ref.number)) await write.readFormer(ref);
      }
      for (const { before, after } of moves) {
        if (!after) write.remove(refOf(before!.id));
        else if (before) write.replace(refOf(after.id), after);
        else expect(write.append(cards, () => after).ref.number).toBe(after.id);
      }
      write.event(event);
    });
    this.#happened(undefined);
    for (const { before, after, from, to } of moves) {
      if (after) this.#cards.set(after.id, after);
      else this.#cards.delete(before!.id);
      this.#plain.move((after ?? before)!.id, from, to);
    }
  }
}

/** A page of one of the history's lists. */
function pageOf(
  ledger: Ledger,
  list: string,
  query: { page: number; limit: number },
): Promise<{ items: { id: number }[]; totalCount: number }> {
  const [kind = '', first = '', second = ''] = list.split('/');
  const board = { collection: boards, number: Number(first) };
  switch (kind) {
    case 'cards':
      return ledger.page(cards, query);
    case 'boards':
      return ledger.page(boards, query);
    case 'shelf':
      return ledger.list(boards, 'shelf', first, query);
    case 'stage':
      return ledger.list(cards, 'stage', first, query);
    case 'tag':
      return ledger.list(cards, 'tag', first, query);
    case 'board':
      return ledger.ownedList(board, cards, 'board', query);
    case 'boardAndStage':
      return ledger.ownedList(board, cards, 'boardAndStage', query, { name: second });
    case 'reviewer':
      return ledger.ownedList(board, cards, 'reviewer', query);
    case 'events':
      return ledger.eventsOf(board, query);
    default:
      throw new Error(`No list ${list}`);
  }
}

test('after any history every page equals that of a plain list, and every total is exact', async () => {
  const tableName = await newPlainTable();
  const organization = await newOrganization('AU', tableName);
  await spend(tableName, organization.code);
  const stores = [storeAt(tableAt(tableName)), storeAt(tableAt(tableName))];
  const history = new History();
  const { random } = seededRandom(22);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  for (let step = 1; step <= 140; step++) {
    // Two writers alternate, so a cached head is often old.
    const { ledger } = organization.openLedger({ store: pick(stores) });
    await history.step(ledger);
    for (const list of step % 20 === 0 ? history.lists : [pick(history.lists)]) {
      const all = history.of(list);
      const limit = pick(limits);
      for (let page = 1; page <= Math.ceil(all.length / limit) + 1; page++) {
        const where = `${list}, page ${page} of ${limit}, step ${step}`;
        const { items, totalCount } = await pageOf(ledger, list, { page, limit });
        const ids = items.map(({ id }) => id);
        expect(ids, where).toEqual(all.slice((page - 1) * limit, page * limit));
        expect(totalCount, where).toBe(all.length);
      }
    }
  }
  // The history has reached the second bucket.
  expect(history.extent.cards).toBeGreaterThan(80);
  expect(history.extent.goneBoards).toBeGreaterThan(2);
});
