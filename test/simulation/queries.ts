import type {
  AttributeValue,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';
import { capacityOf, readUnits } from './capacity.ts';
import { Invalid, metadataOf } from './errors.ts';
import { isSatisfied, Placeholders } from './evaluation.ts';
import { parseCondition, parseProjection } from './expressions.ts';
import { sortValueOf, tableKeyOf, type IndexDescription } from './index-keys.ts';
import { keyRangeOf, indexRangeAfter, indexRangeOf } from './key-conditions.ts';
import type { Entry, OrderedItems, Position, Version } from './table-items.ts';
import { inSteps } from './reads.ts';
import { checkParameters, checkTable, limitOf, wantsCapacity } from './requests.ts';
import type { CarryOut, Server } from './server.ts';
import type { TrailingIndex } from './trailing-index.ts';

/** DynamoDB's limit on what a query or a scan reads at a time. */
const maxBytes = 1024 * 1024;

/** Entries that a query or a scan has read so far. */
class Page {
  readonly versions: Version[] = [];
  readonly #limit: number;
  bytes = 0;
  last: Position | undefined;
  /** True if the page ended before the entries did. */
  isFull = false;

  constructor(limit: number, start: Position | undefined) {
    this.#limit = limit;
    this.last = start;
  }

  /** Number of entries that still fit. */
  get room(): number {
    return this.#limit - this.versions.length;
  }

  /** Adds an entry, unless the page would then be too large. */
  take(entry: Entry): void {
    const { version } = entry;
    if (this.isFull || !version) return;
    if (this.versions.length > 0 && this.bytes + version.size > maxBytes) {
      this.isFull = true;
      return;
    }
    this.versions.push(version);
    this.bytes += version.size;
    this.last = { sort: entry.sort, pk: entry.pk, sk: entry.sk };
    if (this.room === 0) this.isFull = true;
  }
}

export function prepareQuery(server: Server, input: QueryCommandInput): CarryOut {
  checkParameters(input, [
    'TableName',
    'IndexName',
    'ConsistentRead',
    'KeyConditionExpression',
    'ProjectionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ScanIndexForward',
    'Limit',
    'ExclusiveStartKey',
    'ReturnConsumedCapacity',
  ]);
  checkTable(server.table, input.TableName);
  const { IndexName, ConsistentRead = false, ScanIndexForward: forward = true } = input;
  const index = server.indexes.find(({ description }) => description.name === IndexName);
  if (IndexName !== undefined && !index) throw new Invalid(`The table does not have the index ${IndexName}`);
  if (index && ConsistentRead) {
    throw new Invalid('Consistent reads are not supported on global secondary indexes');
  }
  if (input.KeyConditionExpression === undefined)
    throw new Invalid('KeyConditionExpression must be specified');
  const condition = parseCondition(input.KeyConditionExpression);
  const { ExpressionAttributeNames, ExpressionAttributeValues } = input;
  const projection =
    input.ProjectionExpression === undefined ? undefined : parseProjection(input.ProjectionExpression);
  const all = [condition, projection];
  const placeholders = new Placeholders(ExpressionAttributeNames, ExpressionAttributeValues, all);
  const names = projection?.tree.map((path) => placeholders.nameOf(path));
  const range = keyRangeOf(condition.tree, placeholders, schemaOf(index));
  const start = input.ExclusiveStartKey && positionOf(input.ExclusiveStartKey, index?.description);
  const limit = limitOf(input.Limit);
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  return (reply) => {
    const page = new Page(limit, start);
    inSteps(server, (stepsLeft) => {
      const items = (index ?? server.items).partition(range.partition);
      if (items) {
        const indexRange = indexRangeAfter(items, indexRangeOf(items, range), { last: page.last, forward });
        readEntries(page, items, indexRange, { forward, stepsLeft });
      }
      if (stepsLeft > 1) return;
      const units = server.chargeRead(readUnits(page.bytes, ConsistentRead));
      const output: QueryCommandOutput = {
        $metadata: metadataOf(200),
        Items: page.versions.map(({ item }) => (names ? projected(item, names) : item)),
        Count: page.versions.length,
        ScannedCount: page.versions.length,
        ...(page.isFull &&
          page.last && { LastEvaluatedKey: keyAt(page.last, range.partition, index?.description) }),
        ...(wanted && { ConsumedCapacity: capacityOf(server.table.name, units) }),
      };
      reply({ output });
    });
  };
}

/** Reads a share of the entries in an index range, or the rest, from either end. */
function readEntries(
  page: Page,
  { entries }: OrderedItems,
  [from, to]: [from: number, to: number],
  { forward, stepsLeft }: { forward: boolean; stepsLeft: number },
): void {
  const count = Math.ceil(Math.min(Math.max(0, to - from), page.room) / stepsLeft);
  for (let read = 0; read < count; read++) {
    page.take(entries[forward ? from + read : to - 1 - read]!);
  }
}

const schemaOf = (index: TrailingIndex | undefined) =>
  index ? index.description : { partitionKey: 'pk', sortKey: 'sk', sortType: 'S' as const };

function positionOf(key: Record<string, AttributeValue>, index: IndexDescription | undefined): Position {
  if (!index) {
    const { pk, sk } = tableKeyOf(key);
    return { sort: sk, pk, sk };
  }
  const { [index.partitionKey]: partition, [index.sortKey]: value, ...tableKey } = key;
  const sort = sortValueOf(value, index.sortType);
  if (partition?.S === undefined || sort === undefined) {
    throw new Invalid('The provided starting key is invalid');
  }
  return { sort, ...tableKeyOf(tableKey) };
}

function keyAt(
  { sort, pk, sk }: Position,
  partition: string,
  index: IndexDescription | undefined,
): Record<string, AttributeValue> {
  return {
    pk: { S: pk },
    sk: { S: sk },
    ...(index && {
      [index.partitionKey]: { S: partition },
      [index.sortKey]: typeof sort === 'string' ? { S: sort } : { N: String(sort) },
    }),
  };
}

export function prepareScan(server: Server, input: ScanCommandInput): CarryOut {
  checkParameters(input, [
    'TableName',
    'ConsistentRead',
    'FilterExpression',
    'ProjectionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'Limit',
    'ExclusiveStartKey',
    'ReturnConsumedCapacity',
  ]);
  checkTable(server.table, input.TableName);
  const { ConsistentRead = false, FilterExpression, ProjectionExpression } = input;
  const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression);
  const projection = ProjectionExpression === undefined ? undefined : parseProjection(ProjectionExpression);
  const placeholders = new Placeholders(input.ExpressionAttributeNames, input.ExpressionAttributeValues, [
    filter,
    projection,
  ]);
  const names = projection?.tree.map((path) => placeholders.nameOf(path));
  const start = input.ExclusiveStartKey && positionOf(input.ExclusiveStartKey, undefined);
  const limit = limitOf(input.Limit);
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  return (reply) => {
    const page = new Page(limit, start);
    inSteps(server, (stepsLeft) => {
      const enough = page.bytes + (maxBytes - page.bytes) / stepsLeft;
      const most = page.versions.length + Math.ceil(page.room / stepsLeft);
      for (const entry of server.items.scan(page.last)) {
        if (page.isFull || (stepsLeft > 1 && (page.bytes > enough || page.versions.length >= most))) break;
        page.take(entry);
      }
      if (stepsLeft > 1) return;
      const units = server.chargeRead(readUnits(page.bytes, ConsistentRead));
      const found = page.versions
        .map(({ item }) => item)
        .filter((item) => !filter || isSatisfied(filter.tree, placeholders, item));
      const output: ScanCommandOutput = {
        $metadata: metadataOf(200),
        Items: names ? found.map((item) => projected(item, names)) : found,
        Count: found.length,
        ScannedCount: page.versions.length,
        ...(page.isFull && page.last && { LastEvaluatedKey: keyAt(page.last, '', undefined) }),
        ...(wanted && { ConsumedCapacity: capacityOf(server.table.name, units) }),
      };
      reply({ output });
    });
  };
}

const projected = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
