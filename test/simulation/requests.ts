import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Invalid, NotSimulated } from './errors.ts';
import { Placeholders } from './evaluation.ts';
import { parseCondition, type Condition, type Parsed } from './expressions.ts';
import type { TableDescription } from './index-keys.ts';

/** A request for a table that does not exist. */
export class NoSuchTable extends Error {}

/** @throws NotSimulated for a parameter that the simulation would ignore */
export function checkParameters(input: object, known: readonly string[]): void {
  for (const name in input) {
    if (known.includes(name) || Reflect.get(input, name) === undefined) continue;
    throw new NotSimulated(`the parameter ${name} here`);
  }
}

/** @throws NoSuchTable */
export function checkTable(table: TableDescription, name: string | undefined): void {
  if (name !== table.name) throw new NoSuchTable(`No table ${String(name)}`);
}

/**
 * True if the reply must contain the consumed capacity. @throws NotSimulated for the capacity of each index
 */
export function wantsCapacity(asked: string | undefined): boolean {
  if (asked !== undefined && asked !== 'TOTAL' && asked !== 'NONE') {
    throw new NotSimulated(`ReturnConsumedCapacity ${asked}`);
  }
  return asked === 'TOTAL';
}

interface WithCondition {
  ConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  ReturnValuesOnConditionCheckFailure?: string | undefined;
}

/** Condition of a write, with the placeholders of all its expressions. */
export function conditionOf(
  input: WithCondition,
  ...others: (Parsed<unknown> | undefined)[]
): { condition: Condition | undefined; placeholders: Placeholders; returnsOld: boolean } {
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = input;
  const condition = ConditionExpression === undefined ? undefined : parseCondition(ConditionExpression);
  const expressions = [condition, ...others];
  return {
    condition: condition?.tree,
    placeholders: new Placeholders(ExpressionAttributeNames, ExpressionAttributeValues, expressions),
    returnsOld: input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
}

/** @throws Invalid for a limit below 1 */
export function limitOf(limit: number | undefined): number {
  if (limit !== undefined && limit < 1) throw new Invalid('Limit must be greater than or equal to 1');
  return limit ?? Infinity;
}
