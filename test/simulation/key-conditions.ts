import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Invalid } from './errors.ts';
import type { Placeholders } from './evaluation.ts';
import type { Condition, Operand, Path } from './expressions.ts';
import type { OrderedItems, Position } from './table-items.ts';

/** Names and sort key type of the keys of a query. */
export interface KeySchema {
  partitionKey: string;
  sortKey: string;
  sortType: 'S' | 'N';
}

interface Bound {
  sort: string | number;
  inclusive: boolean;
}

/** Range of one partition that a query reads. */
export interface KeyRange {
  partition: string;
  low?: Bound;
  high?: Bound;
  prefix?: string;
}

/** Parses a key condition. @throws Invalid for a condition that is not on the keys */
export function keyRangeOf(condition: Condition, placeholders: Placeholders, schema: KeySchema): KeyRange {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  const isOn = (name: string) => (part: Condition) => {
    const path = pathOf(part);
    return path !== undefined && placeholders.nameOf(path) === name;
  };
  const [onPartition, ...more] = parts.filter(isOn(schema.partitionKey));
  const onSort = parts.filter(isOn(schema.sortKey));
  const known = 1 + more.length + onSort.length;
  if (onPartition?.kind !== 'compare' || onPartition.comparator !== '=' || more.length > 0) {
    throw new Invalid('Query condition missed key schema element, or Query key condition not supported');
  }
  if (onSort.length > 1 || known < parts.length) throw new Invalid('Query key condition not supported');
  const partition = keyValue(onPartition.right, placeholders, 'S');
  const [sort] = onSort;
  return { partition: String(partition), ...(sort && sortRange(sort, placeholders, schema.sortType)) };
}

function pathOf(condition: Condition): Path | undefined {
  const operand =
    condition.kind === 'compare'
      ? condition.left
      : condition.kind === 'between'
        ? condition.operand
        : condition.kind === 'beginsWith'
          ? condition.path
          : undefined;
  return operand && !('value' in operand) ? operand : undefined;
}

function sortRange(
  condition: Condition,
  placeholders: Placeholders,
  type: KeySchema['sortType'],
): Omit<KeyRange, 'partition'> {
  const valueOf = (operand: Operand) => keyValue(operand, placeholders, type);
  if (condition.kind === 'between') {
    const [low, high] = [valueOf(condition.low), valueOf(condition.high)];
    if (low > high)
      throw new Invalid('The BETWEEN operator requires upper bound to be greater than lower bound');
    return { low: { sort: low, inclusive: true }, high: { sort: high, inclusive: true } };
  }
  if (condition.kind === 'beginsWith') {
    if (type !== 'S') throw new Invalid('begins_with on a number');
    const prefix = String(valueOf(condition.prefix));
    return { low: { sort: prefix, inclusive: true }, prefix };
  }
  if (condition.kind !== 'compare') throw new Invalid('Query key condition not supported');
  const sort = valueOf(condition.right);
  switch (condition.comparator) {
    case '=':
      return { low: { sort, inclusive: true }, high: { sort, inclusive: true } };
    case '<':
      return { high: { sort, inclusive: false } };
    case '<=':
      return { high: { sort, inclusive: true } };
    case '>':
      return { low: { sort, inclusive: false } };
    case '>=':
      return { low: { sort, inclusive: true } };
  }
}

function keyValue(operand: Operand, placeholders: Placeholders, type: 'S' | 'N'): string | number {
  const value: AttributeValue | undefined =
    'value' in operand ? placeholders.valueOf(operand.value) : undefined;
  if (type === 'N' && value?.N !== undefined) return Number(value.N);
  if (type === 'S' && value?.S !== undefined) {
    if (value.S === '') throw new Invalid('A key attribute cannot contain an empty string value');
    return value.S;
  }
  throw new Invalid('Condition parameter type does not match schema type');
}

/** Index range of the entries of a partition that are in a key range; `to` is exclusive. */
export function indexRangeOf(
  items: OrderedItems,
  { low, high, prefix }: KeyRange,
): [from: number, to: number] {
  const { entries } = items;
  const indexFrom = (sort: string | number, after: boolean) => {
    let index = items.indexOf({ sort, pk: '', sk: '' });
    if (after) while (entries[index]?.sort === sort) index++;
    return index;
  };
  const from = low ? indexFrom(low.sort, !low.inclusive) : 0;
  let to = high ? indexFrom(high.sort, high.inclusive) : entries.length;
  if (prefix !== undefined) {
    // Entries with the prefix are adjacent: a binary search finds the first entry after them.
    let low = from;
    while (low < to) {
      const middle = (low + to) >> 1;
      if (String(entries[middle]?.sort).startsWith(prefix)) low = middle + 1;
      else to = middle;
    }
  }
  return [from, to];
}

/** Narrows an index range to the entries beyond the position at which an earlier read ended. */
export function indexRangeAfter(
  items: OrderedItems,
  [from, to]: [from: number, to: number],
  { last, forward }: { last: Position | undefined; forward: boolean },
): [from: number, to: number] {
  if (!last) return [from, to];
  const index = items.indexOf(last);
  if (!forward) return [from, Math.min(to, index)];
  const there = items.entries[index];
  const isThere = there?.sort === last.sort && there.pk === last.pk && there.sk === last.sk;
  return [Math.max(from, isThere ? index + 1 : index), to];
}
