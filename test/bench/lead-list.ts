import {
  TransactWriteItemsCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetCommand, paginateQuery, PutCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { pipelines } from '../../shared/domain/leads/pipeline-record.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { newOrganizationCode, recordId, type OrganizationCode } from '../../shared/core/ids.ts';
import { parseHead, withRevision, withState, type Head } from '../../shared/ledger/internal/head.ts';
import {
  countsKey,
  headKey,
  holesKey,
  listPartition,
  holesPartition,
  recordKey,
} from '../../shared/ledger/internal/keys.ts';
import {
  emptyList,
  hasCounts,
  bucketPositionOf,
  withLeft,
  type ListState,
} from '../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments } from '../../shared/ledger/internal/packed-numbers.ts';

/** Leads per page, everywhere in this benchmark. */
export const limit = 50;

/**
 * A list of leads, numbered from 1 to `size`, of which about `share` are deleted. The deleted ones are drawn,
 * the same in every run. Those of a smaller share are among those of a greater one.
 */
export class LeadList {
  readonly size: number;
  readonly share: number;
  /** Code of the list's organization, different for each size. */
  readonly code: OrganizationCode;
  /** Numbers of the deleted leads, ascending. */
  readonly deleted: number[] = [];
  readonly #live: number[] = [];

  constructor(size: number, share: number) {
    this.size = size;
    this.share = share;
    this.code = newOrganizationCode(seededRandom(size).random);
    const { random } = seededRandom(size);
    for (let number = 1; number <= size; number++) {
      (random() < share ? this.deleted : this.#live).push(number);
    }
  }

  get total(): number {
    return this.#live.length;
  }

  /** Number of the last full page: a page with fewer leads costs less, and shows nothing about depth. */
  get lastPage(): number {
    return Math.floor(this.total / limit);
  }

  /** Lists the ids of a page, newest first. */
  idsOfPage(page: number): string[] {
    const to = this.total - (page - 1) * limit;
    return this.#live
      .slice(Math.max(0, to - limit), to)
      .reverse()
      .map((number) => this.idOf(number));
  }

  idOf(number: number): string {
    return recordId('lead', this.code, number);
  }
}

/** First name of a lead, equally long for every number, so that pages differ in depth alone. */
export const nameOf = (number: number) => `Lead ${String(number).padStart(7, '0')}`;

/**
 * Returns a function that makes the stored JSON of a lead from its number. `first` is the stored first lead
 * of the list, or a part of it. Each lead has its own revision, since each is created by a write of its own.
 */
export function patternOf(
  list: LeadList,
  first: Record<string, AttributeValue | undefined>,
): (number: number) => string {
  const namesOf = (number: number) => {
    const id = list.idOf(number);
    const revision = Number(first['revision']?.N ?? 0) + number - 1;
    return [
      `"revision":{"N":"${revision}"}`,
      // Keys of the list of its status, which the pipeline with the number 1 owns, and of the index of first
      // names. No page of this benchmark reads those.
      'PIPELINE#000000000001',
      `"gsi1sk":{"N":"${number}"}`,
      nameOf(number).toLowerCase(),
      id,
      id.toLowerCase(),
      recordKey(list.code, 'LEAD', number).sk,
      nameOf(number),
    ];
  };
  const ofFirst = namesOf(1);
  const parts = JSON.stringify(first).split(
    new RegExp(`(${ofFirst.map((name) => RegExp.escape(name)).join('|')})`),
  );
  const places = parts.map((part) => ofFirst.indexOf(part));
  return (number) => {
    const names = namesOf(number);
    return parts.map((part, at) => names[places[at]!] ?? part).join('');
  };
}

/** Deletes items in bulk, without the ledger or library that wrote them. */
export async function deleteItems(
  client: DynamoDBClient,
  TableName: string,
  keys: readonly Record<string, AttributeValue>[],
): Promise<void> {
  let done = 0;
  const work = async () => {
    while (done < keys.length) {
      // The maximum of a transaction, which is three times faster than batches of 25.
      const chunk = keys.slice(done, (done += 100));
      const TransactItems = chunk.map((Key) => ({ Delete: { TableName, Key } }));
      await client.send(new TransactWriteItemsCommand({ TransactItems }));
    }
  };
  await Promise.all([work(), work()]);
}

/**
 * Writes the head of the list's organization and the list's holes as the list's creates and deletes would
 * have left them. `founded` is the head before them.
 */
export async function writeState(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { code, size, deleted }: LeadList,
  founded: Head,
): Promise<void> {
  const put = (item: object) => documents.send(new PutCommand({ TableName, Item: { ...item } }));
  const state = deleted.reduce<ListState>(withLeft, { ...emptyList, last: size });
  // Each create and each delete has one event.
  const version = founded.version + size + deleted.length;
  // Each changes the pipeline, too.
  const head = withRevision({ ...founded, version }, pipelines.name, version);
  await put({ ...withState(head, 'LEAD', state), ...headKey(code) });
  for (const item of holeItemsOf(listPartition(code, { collection: 'LEAD' }), state, deleted))
    await put(item);
}

/** Makes the items that record the holes of a full list whose members of these ranks have left. */
export function holeItemsOf(partition: string, state: ListState, left: readonly number[]): object[] {
  const positions = left.map(bucketPositionOf);
  const holes = [...Map.groupBy(positions, ({ bucket }) => bucket)].map(([bucket, inBucket]) => {
    const offsets = inBucket.map(({ offset }) => offset);
    return { ...holesKey(partition, bucket), ...Object.fromEntries(increments(holeBits, offsets)) };
  });
  if (left.length === 0 || !hasCounts(state)) return holes;
  const buckets = positions.map(({ bucket }) => bucket);
  const counts = Object.fromEntries(increments(countBits, buckets));
  return [...holes, { ...countsKey(partition), ...counts, left: state.left }];
}

/** Reads the head of the list's organization. */
export async function readHead(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { code }: { code: OrganizationCode },
): Promise<Head> {
  const { Item } = await documents.send(new GetCommand({ TableName, Key: headKey(code) }));
  return parseHead(Item);
}

/** Reads everything that the ledger stores of a list. */
export async function readList(
  documents: DynamoDBDocumentClient,
  TableName: string,
  list: LeadList,
): Promise<{ head: Head; leads: unknown[]; notes: unknown[] }> {
  const itemsOf = async (pk: string) => {
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    };
    const items: unknown[] = [];
    for await (const { Items = [] } of paginateQuery({ client: documents }, query)) items.push(...Items);
    return items;
  };
  return {
    head: await readHead(documents, TableName, list),
    leads: await itemsOf(recordKey(list.code, 'LEAD', 1).pk),
    notes: await itemsOf(holesPartition(listPartition(list.code, { collection: 'LEAD' }))),
  };
}
