import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { arnOf } from './intrinsics.ts';

const OneOrMore = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((value) => [value].flat()),
);

/** A policy statement of the kinds that this machine can evaluate; any other is refused at start. */
export const Statement = v.strictObject({
  Effect: v.literal('Allow'),
  Action: OneOrMore,
  Resource: OneOrMore,
  Condition: v.optional(
    v.union([
      v.strictObject({
        'ForAnyValue:StringEquals': v.strictObject({ 'dynamodb:EnclosingOperation': OneOrMore }),
      }),
      v.strictObject({
        'ForAllValues:StringLike': v.strictObject({ 'dynamodb:LeadingKeys': OneOrMore }),
      }),
    ]),
  ),
});
export type Statement = v.InferOutput<typeof Statement>;

/** A permission that a call to AWS needs. */
interface Demand {
  action: string;
  resource: string;
  /** The operation that it is part of, such as `TransactWriteItems`. */
  enclosing?: string;
  /** The partition key of the item, if there is one item. */
  leadingKey?: string;
}

/** The caller and operation of a request in an AWS JSON protocol. A function's access key id is its name. */
export function callOf({ headers }: IncomingMessage): { functionName: string; operation: string } {
  const [, functionName = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  return { functionName, operation };
}

const Target = v.object({ TableName: v.string() });
const Call = v.object({
  TableName: v.optional(v.string()),
  IndexName: v.optional(v.string()),
  TransactItems: v.optional(v.array(v.record(v.string(), Target))),
  RequestItems: v.optional(v.record(v.string(), v.unknown())),
  Key: v.optional(v.object({ pk: v.object({ S: v.string() }) })),
});

const partActions: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * The actions that one call needs, as DynamoDB checks them: a transaction needs those of its parts.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export function demandsOf(operation: string, input: unknown): Demand[] {
  const { TableName, IndexName, TransactItems = [], RequestItems = {}, Key } = v.parse(Call, input);
  const parts = TransactItems.flatMap((item) => Object.entries(item)).map(([part, target]) => ({
    action: `dynamodb:${partActions[part] ?? part}`,
    resource: arnOf(target.TableName),
    enclosing: operation,
  }));
  if (parts.length > 0) return parts;
  const tables = TableName === undefined ? Object.keys(RequestItems) : [TableName];
  // Such as PartiQL, whose statements name the table: no function has that permission.
  if (tables.length === 0) return [{ action: `dynamodb:${operation}`, resource: '*' }];
  const suffix = IndexName === undefined ? '' : `/index/${IndexName}`;
  return tables.map((table) => ({
    action: `dynamodb:${operation}`,
    resource: `${arnOf(table)}${suffix}`,
    ...(Key && { leadingKey: Key.pk.S }),
  }));
}

/** Whether a role's statements allow a demand. */
export function allows(statements: readonly Statement[], demand: Demand): boolean {
  const { action, resource } = demand;
  return statements.some(
    ({ Action, Resource, Condition }) =>
      Action.includes(action) && Resource.includes(resource) && (!Condition || holds(Condition, demand)),
  );
}

function holds(condition: NonNullable<Statement['Condition']>, { enclosing, leadingKey }: Demand): boolean {
  if ('ForAnyValue:StringEquals' in condition) {
    const operations = condition['ForAnyValue:StringEquals']['dynamodb:EnclosingOperation'];
    return enclosing !== undefined && operations.includes(enclosing);
  }
  const patterns = condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
  return leadingKey !== undefined && patterns.some((pattern) => isLike(leadingKey, pattern));
}

/** Compares as IAM does: `*` stands for any text. */
function isLike(text: string, pattern: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const end = rest.pop() ?? '';
  if (!text.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}
