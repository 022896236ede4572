import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  addNumbers,
  areEqual,
  compareValues,
  copyOfItem,
  copyOfValue,
  typeOf,
  type Item,
} from './attribute-values.ts';
import { Invalid, NotSimulated } from './errors.ts';
import type { Comparator, Condition, Operand, Parsed, Path, Update } from './expressions.ts';

/** Names and values of a request for the placeholders in its expressions. */
export class Placeholders {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Readonly<Item>;

  /** @throws Invalid for placeholders that are unused or undefined */
  constructor(
    names: Record<string, string> | undefined,
    values: Record<string, AttributeValue> | undefined,
    expressions: readonly (Parsed<unknown> | undefined)[],
  ) {
    check('ExpressionAttributeNames', names, expressions, 'names');
    check('ExpressionAttributeValues', values, expressions, 'values');
    this.#names = names ? { ...names } : none;
    this.#values = values ? copyOfItem(values) : none;
  }

  nameOf(path: Path): string {
    return 'name' in path ? path.name : this.#names[path.placeholder]!;
  }

  valueOf(placeholder: string): AttributeValue {
    return this.#values[placeholder]!;
  }

  /** Value of an operand in an item. */
  resolve(operand: Operand, item: Item | undefined): AttributeValue | undefined {
    return 'value' in operand ? this.valueOf(operand.value) : item?.[this.nameOf(operand)];
  }

  /** Equal for equal names and values. */
  toJSON(): unknown {
    return [this.#names, this.#values];
  }
}

const none = {};

function check(
  parameter: string,
  given: object | undefined,
  expressions: readonly (Parsed<unknown> | undefined)[],
  kind: 'names' | 'values',
): void {
  const provided = Object.keys(given ?? none);
  if (given && provided.length === 0) throw new Invalid(`${parameter} must not be empty`);
  if (given && expressions.every((expression) => expression === undefined)) {
    throw new Invalid(`${parameter} can only be specified when using expressions`);
  }
  for (const placeholder of provided) {
    if (!expressions.some((expression) => expression?.[kind].has(placeholder))) {
      throw new Invalid(`Value provided in ${parameter} unused in expressions: keys: {${placeholder}}`);
    }
  }
  for (const expression of expressions) {
    for (const placeholder of expression?.[kind] ?? []) {
      if (!given || !Object.hasOwn(given, placeholder)) {
        throw new Invalid(`Invalid expression: ${placeholder} is not defined in ${parameter}`);
      }
    }
  }
}

/** True if an item satisfies a condition. The item may be undefined. */
export function isSatisfied(
  condition: Condition,
  placeholders: Placeholders,
  item: Item | undefined,
): boolean {
  const valueOf = (operand: Operand) => placeholders.resolve(operand, item);
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => isSatisfied(part, placeholders, item));
    case 'or':
      return condition.parts.some((part) => isSatisfied(part, placeholders, item));
    case 'exists':
      return (valueOf(condition.path) !== undefined) === condition.expected;
    case 'beginsWith': {
      const [text, prefix] = [valueOf(condition.path)?.S, valueOf(condition.prefix)?.S];
      return text !== undefined && prefix !== undefined && text.startsWith(prefix);
    }
    case 'compare':
      return compares(condition.comparator, valueOf(condition.left), valueOf(condition.right));
    case 'between':
      throw new NotSimulated('BETWEEN outside the condition of a key');
  }
}

function compares(
  comparator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  const bothThere = left !== undefined && right !== undefined;
  if (comparator === '=') return bothThere && areEqual(left, right);
  const order = bothThere ? compareValues(left, right) : undefined;
  if (order === undefined) return false;
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** @throws Invalid for an attribute that is named twice, is of the key, or cannot be added to */
export function checkUpdate({ set, add, remove }: Update, placeholders: Placeholders): void {
  const names = [...[...set, ...add].map(({ path }) => path), ...remove].map((path) =>
    placeholders.nameOf(path),
  );
  if (new Set(names).size < names.length) throw new Invalid('Two document paths overlap with each other');
  if (names.includes('pk') || names.includes('sk')) {
    throw new Invalid('Cannot update attribute pk or sk. This attribute is part of the key');
  }
  for (const { value } of add) {
    const type = typeOf(placeholders.valueOf(value));
    if (type === 'NS' || type === 'SS') throw new NotSimulated('ADD to a set');
    if (type !== 'N') {
      throw new Invalid(
        `Incorrect operand type for operator or function; operator: ADD, operand type: ${type}`,
      );
    }
  }
}

/** Applies an update to an item, or creates the item. @throws Invalid if ADD meets another type */
export function updated(
  before: Item | undefined,
  key: { pk: string; sk: string },
  { set, add, remove }: Update,
  placeholders: Placeholders,
): Item {
  const after: Item = before ? { ...before } : { pk: { S: key.pk }, sk: { S: key.sk } };
  for (const { path, value, appendedTo } of set) {
    const given = placeholders.valueOf(value);
    const list =
      appendedTo &&
      (before?.[placeholders.nameOf(appendedTo.path)] ?? placeholders.valueOf(appendedTo.orElse));
    after[placeholders.nameOf(path)] = list ? appended(list, given) : given;
  }
  for (const { path, value } of add) {
    const name = placeholders.nameOf(path);
    after[name] = sumOf(before?.[name], placeholders.valueOf(value));
  }
  const removed = new Set(remove.map((path) => placeholders.nameOf(path)));
  return Object.fromEntries(Object.entries(after).filter(([name]) => !removed.has(name)));
}

function appended(list: AttributeValue, more: AttributeValue): AttributeValue {
  if (!list.L || !more.L) throw new Invalid('An operand in the update expression has an incorrect data type');
  return { L: [...list.L, ...more.L].map(copyOfValue) };
}

function sumOf(old: AttributeValue | undefined, added: AttributeValue): AttributeValue {
  if (old === undefined) return copyOfValue(added);
  if (old.N !== undefined && added.N !== undefined) return { N: addNumbers(old.N, added.N) };
  throw new Invalid('An operand in the update expression has an incorrect data type');
}
