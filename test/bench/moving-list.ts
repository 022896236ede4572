import { GetCommand, paginateQuery, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { newOrganizationCode, recordId, type OrganizationCode } from '../../shared/core/ids.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { leads, type LeadRecord } from '../../shared/domain/leads/lead-record.ts';
import type { Collection, Ledger } from '../../shared/ledger/index.ts';
import { withState, type Head } from '../../shared/ledger/internal/head.ts';
import {
  headKey,
  keyNamesOf,
  listName,
  listPartition,
  notesPartition,
  recordKey,
} from '../../shared/ledger/internal/keys.ts';
import { emptyList, withLeft, withNext, type ListState } from '../../shared/ledger/internal/list-state.ts';
import { limit, nameOf, notesOf } from './lead-list.ts';

/** Leads that are listed by their status. No endpoint moves one from list to list, so this is the benchmark's own. */
export const listedLeads = {
  ...leads,
  lists: {
    status: { of: ({ status }: LeadRecord) => (status === 'pending' ? { name: status } : undefined) },
  },
} as const satisfies Collection;

/** The list of those that are pending. */
const list = { collection: 'LEAD', index: 'gsi1', name: 'pending' } as const;

/**
 * A list of `size` members of which some have moved: `share` times as many as there are, drawn at random, have left the list,
 * each on its own, and have come back to it.
 */
export class MovingList {
  readonly size: number;
  readonly share: number;
  readonly code: OrganizationCode;
  /** Those that have moved, in their order. */
  readonly moved: number[] = [];
  /** The ranks that have been left, in the same order. */
  readonly left: number[] = [];
  state: ListState;
  /** The rank of each lead, by its number. */
  readonly #ranks = new Map<number, number>();

  constructor(size: number, share: number) {
    this.size = size;
    this.share = share;
    const { random } = seededRandom(size);
    this.code = newOrganizationCode(random);
    for (let number = 1; number <= size; number++) this.#ranks.set(number, number);
    this.state = { ...emptyList, last: size };
    for (let moves = Math.round(size * share); moves > 0; moves--) {
      const number = 1 + Math.floor(random() * size);
      const rank = this.rankOf(number);
      this.moved.push(number);
      this.left.push(rank);
      this.state = withNext(withLeft(this.state, rank));
      this.#ranks.set(number, this.state.last);
    }
  }

  /** The last page that is full. */
  get lastPage(): number {
    return Math.floor(this.size / limit);
  }

  rankOf(number: number): number {
    return this.#ranks.get(number) ?? 0;
  }

  idOf(number: number): string {
    return recordId('lead', this.code, number);
  }

  /** The ids of the members in the order of the list, newest first. */
  get ids(): string[] {
    const byRank = [...this.#ranks].sort(([, one], [, other]) => other - one);
    return byRank.map(([number]) => this.idOf(number));
  }

  /** The leads as they are stored, where `template` is what a lead is but for its id and name, and `founded` the first head. */
  *items(template: LeadRecord, founded: Head): Generator<object> {
    const { pkName, skName } = keyNamesOf(list.index);
    const lastMoves = new Map(this.moved.map((number, at) => [number, at + 1]));
    for (let number = 1; number <= this.size; number++) {
      const moves = lastMoves.get(number);
      // Each create, and each way of a move, is a write of its own, with one event.
      const writes = moves === undefined ? number : this.size + 2 * moves;
      yield {
        ...template,
        id: this.idOf(number),
        firstName: nameOf(number),
        ...recordKey(this.code, leads.name, number),
        [pkName]: listPartition(this.code, list),
        [skName]: this.rankOf(number),
        revision: founded.version + writes,
      };
    }
  }

  /** What else is stored of the list: the head, and who has left. */
  notes(founded: Head): object[] {
    const version = founded.version + this.size + 2 * this.moved.length;
    const all = withState({ ...founded, version }, leads.name, { ...emptyList, last: this.size });
    const head = withState(all, listName(list), this.state);
    const { code, state, left } = this;
    return [{ ...head, ...headKey(code) }, ...notesOf(listPartition(code, list), state, left)];
  }
}

/** Has the ledger make a list: creates its leads, and moves those that move, each way in a write of its own. */
export async function makeByLedger(ledger: Ledger, list: MovingList, template: LeadRecord): Promise<void> {
  const event = (referenceId: string) => ({ event: 'LEAD_CHANGED', data: 'A lead', referenceId });
  for (let number = 1; number <= list.size; number++) {
    await ledger.write({}, (write) => {
      write.append(listedLeads, ({ id }) => ({ ...template, id, firstName: nameOf(number) }));
      write.event(event(list.idOf(number)));
    });
  }
  for (const number of list.moved) {
    const ref = ledger.ref(listedLeads, list.idOf(number));
    for (const status of ['active', 'pending'] as const) {
      await ledger.write({ change: { lead: ref } }, (write, { lead }) => {
        write.replace(ref, { ...lead, status });
        write.event(event(lead.id));
      });
    }
  }
}

/** @throws Error unless a list is stored as it says that it is. */
export async function prove(
  documents: DynamoDBDocumentClient,
  TableName: string,
  made: MovingList,
  { template, founded }: { template: LeadRecord; founded: Head },
): Promise<void> {
  const { code } = made;
  const partitions = [recordKey(code, leads.name, 1).pk, notesPartition(listPartition(code, list))];
  const { Item: head } = await documents.send(new GetCommand({ TableName, Key: headKey(code) }));
  const stored: unknown[] = [head];
  for (const pk of partitions) {
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    };
    for await (const { Items = [] } of paginateQuery({ client: documents }, query)) stored.push(...Items);
  }
  const [expectedHead, ...notes] = made.notes(founded);
  const expected = [expectedHead, ...made.items(template, founded), ...notes.sort(bySortKey)];
  if (!isDeepStrictEqual(stored, expected)) throw new Error('A moving list is not what the ledger makes');
}

const bySortKey = (one: object, other: object) => (skOf(one) < skOf(other) ? -1 : 1);
const skOf = (item: object) => ('sk' in item ? String(item.sk) : '');
