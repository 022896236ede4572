import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { copyOfItem, type Item } from './attribute-values.ts';
import { Invalid } from './errors.ts';
import { checkUpdate, updated, type Placeholders } from './evaluation.ts';
import { parseUpdate, type Condition, type Update } from './expressions.ts';
import { keyOfItem, tableKeyOf, versionOf, type TableDescription } from './index-keys.ts';
import type { Version } from './table-items.ts';
import { checkParameters, checkTable, conditionOf } from './requests.ts';
import type { TableKey } from './table-items.ts';

/** One write of an item, within a transaction or alone. */
export interface WriteOperation {
  key: TableKey;
  condition: Condition | undefined;
  placeholders: Placeholders;
  /** True if the error for a failed condition must contain the item. */
  returnsOld: boolean;
  /** Change of the item; undefined for a condition check, which changes nothing. */
  change:
    | { kind: 'put'; version: Version }
    | { kind: 'delete' }
    | { kind: 'update'; update: Update }
    | undefined;
}

const common = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
];

/** Parses one part of a transaction. @throws Invalid, NotSimulated, NoSuchTable */
export function writeOperationOf(part: TransactWriteItem, table: TableDescription): WriteOperation {
  checkParameters(part, ['Put', 'Delete', 'Update', 'ConditionCheck']);
  const { Put, Delete, Update, ConditionCheck } = part;
  const given = [Put, Delete, Update, ConditionCheck].filter((operation) => operation !== undefined);
  if (given.length !== 1)
    throw new Invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  checkTable(table, given[0]?.TableName);
  if (Put) {
    checkParameters(Put, [...common, 'Item']);
    const item: Item = copyOfItem(Put.Item ?? {});
    const key = keyOfItem(item);
    return { key, ...conditionOf(Put), change: { kind: 'put', version: versionOf(item, table.indexes) } };
  }
  if (Update) return updateOperationOf(Update, table);
  const other = Delete ?? ConditionCheck;
  checkParameters(other ?? {}, [...common, 'Key']);
  if (ConditionCheck && ConditionCheck.ConditionExpression === undefined) {
    throw new Invalid('The ConditionExpression of a ConditionCheck is missing');
  }
  return {
    key: tableKeyOf(other?.Key),
    ...conditionOf(other ?? {}),
    change: Delete ? { kind: 'delete' } : undefined,
  };
}

function updateOperationOf(
  input: NonNullable<TransactWriteItem['Update']>,
  table: TableDescription,
): WriteOperation {
  checkParameters(input, [...common, 'Key', 'UpdateExpression']);
  const key = tableKeyOf(input.Key);
  if (input.UpdateExpression === undefined) throw new Invalid('UpdateExpression must be specified');
  const update = parseUpdate(input.UpdateExpression);
  const condition = conditionOf(input, update);
  checkUpdate(update.tree, condition.placeholders);
  // An invalid value for an index key is an error whatever the item is.
  const sets = update.tree.set
    .filter(({ appendedTo }) => !appendedTo)
    .map(({ path, value }) => [condition.placeholders.nameOf(path), condition.placeholders.valueOf(value)]);
  versionOf(Object.fromEntries(sets) as Item, table.indexes);
  return { key, ...condition, change: { kind: 'update', update: update.tree } };
}

/** Applies an operation to an item. @throws Invalid for an update that does not fit the item */
export function resultOf(
  { key, change, placeholders }: WriteOperation,
  before: Version | undefined,
  table: TableDescription,
): Version | undefined {
  switch (change?.kind) {
    case undefined:
      return before;
    case 'put':
      return change.version;
    case 'delete':
      return undefined;
    case 'update':
      return versionOf(updated(before?.item, key, change.update, placeholders), table.indexes);
  }
}
